import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { PublishedAgent } from "../../domain/review-state.ts";
import { readJournal } from "./read-journal.ts";

/** The sessions of a run that has ended its work, with the hashes of their files; in the order in which they were asked for. */
export async function listPublishedAgents(folder: string): Promise<readonly PublishedAgent[]> {
	const names = await readdir(folder).catch(() => []);
	const agents: PublishedAgent[] = [];
	for (const name of names.filter((each) => each.endsWith(".jsonl")).sort()) {
		const file = path.join(folder, name);
		const read = await readJournal(file);
		if (read.state !== "read") continue;
		const started = read.entries.find((entry) => entry.type === "session.started");
		const end = read.entries.findLast((entry) => entry.type === "end");
		if (started === undefined) continue;
		agents.push({
			id: started.agentId,
			session: started.session,
			status: end === undefined || read.interrupted ? "interrupted" : end.status,
			sha256: hashFile(await readFile(file)),
		});
	}
	return agents.sort((a, b) => numberOf(a.id) - numberOf(b.id));
}

/** SHA-256 in hex, as comments of ours publish it. */
export function hashFile(bytes: Buffer): string {
	return createHash("sha256").update(bytes).digest("hex");
}

function numberOf(id: string): number {
	return Number(/\d+$/.exec(id)?.[0] ?? 0);
}
