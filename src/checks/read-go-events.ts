import type { FailedTest } from "../domain/checks.ts";
import type { ReadTests } from "./read-tests.ts";

/** One line of `go test -json` (`go doc test2json`). Build output stands in events of their own from Go 1.24 on. */
interface GoEvent {
	readonly Action?: string;
	readonly Package?: string;
	readonly ImportPath?: string;
	readonly Test?: string;
	readonly Output?: string;
}

const MAX_MESSAGE = 500;

/** Counts of `go test -json`: leaves count, a test with subtests does not. A package that does not build is a failure without a count. */
export function readGoEvents(text: string): ReadTests | undefined {
	const ends = new Map<string, string>();
	const said = new Map<string, string>();
	const broken: FailedTest[] = [];
	let events = 0;
	for (const line of text.split("\n")) {
		const event = parseEvent(line);
		if (event?.Action === undefined) continue;
		events += 1;
		const key = `${event.Package ?? event.ImportPath ?? ""}${event.Test === undefined ? "" : ` ${event.Test}`}`;
		if (event.Action === "output" || event.Action === "build-output") {
			const before = said.get(key) ?? "";
			if (before.length < MAX_MESSAGE && !/^(=== |--- |PASS$|FAIL)/.test((event.Output ?? "").trim()))
				said.set(key, before + (event.Output ?? ""));
		} else if (event.Action === "build-fail") {
			broken.push({ name: event.ImportPath ?? "build", message: (said.get(key) ?? "").trim().slice(0, MAX_MESSAGE) });
		} else if (event.Test !== undefined && /^(pass|fail|skip)$/.test(event.Action)) ends.set(key, event.Action);
	}
	if (events === 0) return undefined;
	const parents = new Set([...ends.keys()].flatMap((key) => parentsOf(key)));
	const leaves = [...ends].filter(([key, action]) => !parents.has(key) || (action === "fail" && !hasFailedChild(key, ends)));
	const count = (action: string): number => leaves.filter(([, end]) => end === action).length;
	const failed = leaves
		.filter(([, end]) => end === "fail")
		.map(([key]) => ({ name: key, message: (said.get(key) ?? "").trim().slice(0, MAX_MESSAGE) }));
	return {
		counts: { passed: count("pass"), failed: count("fail"), skipped: count("skip"), format: "go test -json" },
		failures: [...broken, ...failed],
	};
}

function parseEvent(line: string): GoEvent | undefined {
	if (!line.startsWith("{")) return undefined;
	try {
		return JSON.parse(line) as GoEvent;
	} catch {
		return undefined;
	}
}

/** `pkg TestA/b/c` has the parents `pkg TestA/b` and `pkg TestA`; a package path's own slashes do not count. */
function parentsOf(key: string): string[] {
	const space = key.lastIndexOf(" ");
	const parents: string[] = [];
	for (let slash = key.lastIndexOf("/"); slash > space; slash = key.lastIndexOf("/", slash - 1)) parents.push(key.slice(0, slash));
	return parents;
}

function hasFailedChild(key: string, ends: ReadonlyMap<string, string>): boolean {
	return [...ends].some(([other, action]) => action === "fail" && other.startsWith(`${key}/`));
}

/** The text that a person would have seen instead of the events. */
export function renderGoEvents(text: string): string {
	return text
		.split("\n")
		.map((line) => {
			const event = parseEvent(line);
			return event === undefined ? `${line}\n` : (event.Output ?? "");
		})
		.join("");
}
