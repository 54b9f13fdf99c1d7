import { runAction } from "./main.ts";

process.exitCode = await runAction();
