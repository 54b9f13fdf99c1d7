import { runPost } from "./main.ts";

process.exitCode = await runPost();
