import { rm, stat } from "node:fs/promises";
import path from "node:path";

export interface PostOptions {
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly write: (line: string) => void;
}

/**
 * The post step runs always, also when the main step was killed: it says where the journals are, and clears what a
 * killed run left in the temp folder. Never fails the job.
 */
export async function runPostStep({ environment, write }: PostOptions): Promise<number> {
	const temp = environment["RUNNER_TEMP"];
	const session = environment["STATE_session"];
	if (temp === undefined || session === undefined || !/^[a-z0-9-]+$/.test(session)) return 0;
	const journals = path.join(temp, "rookery", "sessions", session);
	const there = await stat(journals).catch(() => undefined);
	if (there?.isDirectory() === true) write(`Journals of this run: ${journals}`);
	await rm(path.join(temp, "rookery", "scratch"), { recursive: true, force: true }).catch(() => undefined);
	return 0;
}
