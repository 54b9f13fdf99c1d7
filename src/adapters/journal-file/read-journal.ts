import { readFile } from "node:fs/promises";
import type { JournalEntry } from "../../domain/journal-entry.ts";
import { journalLine } from "./journal-line.ts";

/**
 * A journal as read from disk. `torn` is what stands behind the last line feed, left by a process that was killed
 * while it wrote; `bytes` is the length of the good part. Everything else that is wrong makes the file `broken` at
 * that line (from 1), because a journal that may have been changed is not believed (S-163).
 */
export type JournalRead =
	| { readonly state: "absent" }
	| { readonly state: "broken"; readonly line: number; readonly reason: string }
	| {
			readonly state: "read";
			readonly entries: readonly JournalEntry[];
			readonly torn?: string;
			readonly bytes: number;
			/** Runs in it without an end record: the process was killed (S-065). */
			readonly interrupted: boolean;
	  };

/** Reads and checks a journal: each line against the schema, numbers without a gap. Rejects when the disk says no. */
export async function readJournal(file: string): Promise<JournalRead> {
	let text: string;
	try {
		text = await readFile(file, "utf8");
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return { state: "absent" };
		throw error;
	}
	return parseJournal(text);
}

/** The same for text that came another way, such as an artifact. */
export function parseJournal(text: string): JournalRead {
	const end = text.lastIndexOf("\n") + 1;
	const lines = text.slice(0, end).split("\n").slice(0, -1);
	const entries: JournalEntry[] = [];
	for (const [index, line] of lines.entries()) {
		const parsed = parseLine(line, index + 1);
		if (typeof parsed === "string") return { state: "broken", line: index + 1, reason: parsed };
		entries.push(parsed);
	}
	const torn = text.slice(end);
	const started = entries.filter((entry) => entry.type === "run.started").length;
	const ended = entries.filter((entry) => entry.type === "end").length;
	return {
		state: "read",
		entries,
		bytes: Buffer.byteLength(text.slice(0, end), "utf8"),
		interrupted: started > ended,
		...(torn === "" ? {} : { torn }),
	};
}

function parseLine(line: string, expected: number): JournalEntry | string {
	let value: unknown;
	try {
		value = JSON.parse(line);
	} catch {
		return "not JSON";
	}
	const checked = journalLine.safeParse(value);
	if (!checked.success) {
		const issue = checked.error.issues[0];
		return `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not a journal record"}`;
	}
	if (checked.data.seq !== expected) return `seq: found ${checked.data.seq}, want ${expected}`;
	return checked.data as JournalEntry;
}
