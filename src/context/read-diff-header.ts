import { decodeQuotedPath } from "./decode-git-path.ts";

/** No line of a header is told apart by more characters than this. */
const LONGEST_START = 18;
const LINE_FEED = 0x0a;
const TAB = 0x09;
const QUOTE = 0x22;

/** What stands between `diff --git` and the first hunk. Names are decoded and without their `a/`, `b/` prefix. */
export interface DiffHeader {
	readonly oldPath: string | undefined;
	readonly newPath: string | undefined;
	readonly oldMode: string | undefined;
	readonly newMode: string | undefined;
	readonly oldBlob: string | undefined;
	readonly newBlob: string | undefined;
	readonly binary: boolean;
	/** Set when a name is there but cannot be decoded. */
	readonly problem: string | undefined;
}

interface Draft {
	git: { oldPath: string | undefined; newPath: string | undefined };
	moved: { oldPath: string | undefined; newPath: string | undefined };
	marked: { oldPath: string | undefined; newPath: string | undefined };
	oldMode: string | undefined;
	newMode: string | undefined;
	oldBlob: string | undefined;
	newBlob: string | undefined;
	binary: boolean;
	added: boolean;
	deleted: boolean;
	problem: string | undefined;
}

/**
 * Reads the header lines of one section. Names come from `rename`/`copy` lines first, then from `---`/`+++`, and
 * only for sections that have neither (mode change, empty or binary file) from the `diff --git` line itself,
 * where both names are then the same (BR-04 to BR-06).
 */
export function readDiffHeader(bytes: Buffer): DiffHeader {
	const draft: Draft = {
		git: { oldPath: undefined, newPath: undefined },
		moved: { oldPath: undefined, newPath: undefined },
		marked: { oldPath: undefined, newPath: undefined },
		oldMode: undefined,
		newMode: undefined,
		oldBlob: undefined,
		newBlob: undefined,
		binary: false,
		added: false,
		deleted: false,
		problem: undefined,
	};
	for (let start = 0; start < bytes.length; ) {
		const found = bytes.indexOf(LINE_FEED, start);
		const end = found === -1 ? bytes.length : found;
		readLine(draft, bytes.subarray(start, end));
		start = end + 1;
	}
	const oldPath = draft.moved.oldPath ?? draft.marked.oldPath ?? draft.git.oldPath;
	const newPath = draft.moved.newPath ?? draft.marked.newPath ?? draft.git.newPath;
	return {
		oldPath: draft.added ? undefined : oldPath,
		newPath: draft.deleted ? undefined : newPath,
		oldMode: draft.oldMode,
		newMode: draft.newMode,
		oldBlob: draft.oldBlob,
		newBlob: draft.newBlob,
		binary: draft.binary,
		problem: draft.problem ?? (oldPath === undefined && newPath === undefined ? "the section names no file" : undefined),
	};
}

/** One table of line starts; each entry gets the rest of its line. */
const LINE_READERS: readonly (readonly [start: string, read: (draft: Draft, rest: Buffer) => void])[] = [
	["diff --git ", readGitLine],
	["diff --cc ", readCombinedLine],
	["diff --combined ", readCombinedLine],
	["index ", readIndexLine],
	["--- ", (draft, rest) => readMarked(draft, rest, "oldPath")],
	["+++ ", (draft, rest) => readMarked(draft, rest, "newPath")],
	["rename from ", (draft, rest) => readMoved(draft, rest, "oldPath")],
	["rename to ", (draft, rest) => readMoved(draft, rest, "newPath")],
	["copy from ", (draft, rest) => readMoved(draft, rest, "oldPath")],
	["copy to ", (draft, rest) => readMoved(draft, rest, "newPath")],
	["old mode ", (draft, rest) => readMode(draft, rest, "oldMode")],
	["new mode ", (draft, rest) => readMode(draft, rest, "newMode")],
	["new file mode ", (draft, rest) => readMode(draft, rest, "newMode", "added")],
	["deleted file mode ", (draft, rest) => readMode(draft, rest, "oldMode", "deleted")],
	["Binary files ", markBinary],
	["GIT binary patch", markBinary],
];

function readLine(draft: Draft, line: Buffer): void {
	const text = line.toString("latin1", 0, LONGEST_START);
	for (const [start, read] of LINE_READERS) {
		if (text.startsWith(start)) {
			read(draft, line.subarray(start.length));
			return;
		}
	}
}

/** `a/NAME b/NAME` with equal names, or two names of which at least one is quoted. */
function readGitLine(draft: Draft, rest: Buffer): void {
	if (rest[0] === QUOTE) {
		const first = decodeQuotedPath(rest);
		if (first === undefined) {
			draft.problem = "the file name cannot be decoded";
			return;
		}
		draft.git.oldPath = withoutPrefix(first.path);
		draft.git.newPath = withoutPrefix(readName(draft, rest.subarray(first.end + 1)));
		return;
	}
	const quoted = rest.indexOf(' "');
	if (quoted !== -1 && rest.at(-1) === QUOTE) {
		draft.git.oldPath = withoutPrefix(rest.toString("utf8", 0, quoted));
		draft.git.newPath = withoutPrefix(readName(draft, rest.subarray(quoted + 1)));
		return;
	}
	// Equal names make the line symmetric around its middle blank, whatever blanks the names hold.
	const middle = (rest.length - 1) / 2;
	const first = rest.toString("utf8", 0, middle);
	const second = rest.toString("utf8", middle + 1);
	if (Number.isInteger(middle) && first.slice(2) === second.slice(2)) {
		draft.git.oldPath = withoutPrefix(first);
		draft.git.newPath = withoutPrefix(second);
	}
}

function readCombinedLine(draft: Draft, rest: Buffer): void {
	const name = readName(draft, rest);
	draft.git.oldPath = name;
	draft.git.newPath = name;
}

function readIndexLine(draft: Draft, rest: Buffer): void {
	const match = /^([0-9a-f]+)\.\.([0-9a-f]+)(?: (\d{6}))?$/.exec(rest.toString("latin1"));
	if (match === null) return;
	draft.oldBlob = match[1];
	draft.newBlob = match[2];
	if (match[3] !== undefined) {
		draft.oldMode ??= match[3];
		draft.newMode ??= match[3];
	}
}

function readMode(draft: Draft, rest: Buffer, side: "oldMode" | "newMode", mark?: "added" | "deleted"): void {
	draft[side] = rest.toString("latin1");
	if (mark !== undefined) draft[mark] = true;
}

function markBinary(draft: Draft): void {
	draft.binary = true;
}

function readMarked(draft: Draft, rest: Buffer, side: "oldPath" | "newPath"): void {
	const name = readName(draft, rest);
	if (name === undefined || name === "/dev/null") return;
	draft.marked[side] = withoutPrefix(name);
}

function readMoved(draft: Draft, rest: Buffer, side: "oldPath" | "newPath"): void {
	draft.moved[side] = readName(draft, rest);
}

/** An unquoted name holds no TAB; git appends one to names with blanks, for the benefit of patch(1). */
function readName(draft: Draft, rest: Buffer): string | undefined {
	if (rest[0] === QUOTE) {
		const decoded = decodeQuotedPath(rest);
		if (decoded === undefined) draft.problem = "the file name cannot be decoded";
		return decoded?.path;
	}
	const tab = rest.indexOf(TAB);
	return rest.toString("utf8", 0, tab === -1 ? rest.length : tab);
}

function withoutPrefix(name: string | undefined): string | undefined {
	return name !== undefined && /^[ab]\//.test(name) ? name.slice(2) : name;
}
