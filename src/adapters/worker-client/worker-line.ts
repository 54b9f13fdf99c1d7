import * as z from "zod";
import type { ReasonCode } from "../../domain/errors.ts";
import type { ToolOutput } from "../../seams.ts";

/*
 * Lines of the sandboxed process. It may have been taken over by a command that runs beside it, so each line is checked;
 * what fits the form is still only its word about its own child's calls.
 */

const CODES = [
	"E_PATH",
	"E_PROC",
	"E_SANDBOX",
	"E_NET",
	"E_POLICY",
	"E_PROTECTED",
	"E_SECRET",
	"E_LINK",
	"E_LIMIT",
	"E_WORKTREE",
	"E_REF",
] as const satisfies readonly ReasonCode[];

const output = z.object({
	content: z.string(),
	isError: z.literal(true).optional(),
	code: z.enum(CODES).optional(),
	filesRead: z.array(z.string().max(4096)).max(10_000).optional(),
	data: z.unknown().optional(),
});

const question = z.discriminatedUnion("what", [
	z.object({ what: z.literal("patches"), paths: z.array(z.string()).max(100_000) }),
	z.object({ what: z.literal("base"), path: z.string() }),
	z.object({ what: z.literal("files") }),
	z.object({ what: z.literal("history") }),
]);

const line = z.discriminatedUnion("type", [
	z.object({ type: z.literal("ready") }),
	z.object({ type: z.literal("result"), id: z.int(), output }),
	z.object({ type: z.literal("ask"), id: z.int(), question }),
]);

export type WorkerLine =
	| { readonly type: "ready" }
	| { readonly type: "result"; readonly id: number; readonly output: ToolOutput }
	| WorkerAsk;
export interface WorkerAsk {
	readonly type: "ask";
	readonly id: number;
	readonly question: z.output<typeof question>;
}

/** Longest content of one result, in characters. The engine cuts further for the model. */
const MAX_CONTENT = 1_000_000;

/** A line understood; undefined for anything else. */
export function readWorkerLine(text: string): WorkerLine | undefined {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return undefined;
	}
	const parsed = line.safeParse(value);
	if (!parsed.success) return undefined;
	if (parsed.data.type !== "result") return parsed.data;
	const { content, isError, code, filesRead, data } = parsed.data.output;
	return {
		type: "result",
		id: parsed.data.id,
		output: {
			content: content.length > MAX_CONTENT ? `${content.slice(0, MAX_CONTENT).toWellFormed()}\n[cut]` : content,
			...(isError === undefined ? {} : { isError }),
			...(code === undefined ? {} : { code }),
			...(filesRead === undefined ? {} : { filesRead }),
			...(data === undefined ? {} : { data }),
		},
	};
}

/** Longest line that is put together at all, in bytes. */
const MAX_LINE = 64 * 1024 * 1024;

/** Cuts a stream of bytes into lines. `onOverflow` is told once when a line does not end. */
export function createLineSplitter(onLine: (text: string) => void, onOverflow: () => void): (chunk: Buffer) => void {
	let pending: Buffer[] = [];
	let size = 0;
	return (chunk) => {
		let start = 0;
		for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
			pending.push(chunk.subarray(start, end));
			onLine(Buffer.concat(pending).toString("utf8"));
			pending = [];
			size = 0;
			start = end + 1;
		}
		if (start === chunk.length) return;
		pending.push(chunk.subarray(start));
		size += chunk.length - start;
		if (size <= MAX_LINE) return;
		pending = [];
		size = 0;
		onOverflow();
	};
}
