import { cutText } from "../../domain/cut-text.ts";

/** How a hook's process ended. */
export type HookExit =
	| { readonly kind: "exited"; readonly code: number; readonly stdout: string; readonly stderr: string }
	| { readonly kind: "timed-out"; readonly seconds: number }
	| { readonly kind: "failed"; readonly reason: string };

/** What a hook says. It can block, stop and add; nothing it says allows anything (S-178). */
export interface HookAnswer {
	/** Why the thing it was asked about must not happen. */
	readonly block?: string;
	/** Why its child has to end (`continue: false`). */
	readonly stop?: string;
	/** Text for the child. */
	readonly context?: string;
	/** Why there is no answer: the process crashed, took too long, said something that cannot be read. */
	readonly failure?: string;
}

const BLOCK_EXIT = 2;
const MAX_TEXT_CHARACTERS = 10_000;
const MAX_REASON_CHARACTERS = 2_000;

/**
 * Reads an exit in the Claude layout: 0 with nothing or plain text is a pass, 0 with a JSON object says what it says,
 * 2 blocks with the error stream as the reason, anything else is a failure, which the asker decides on.
 */
export function readHookExit(exit: HookExit): HookAnswer {
	if (exit.kind === "timed-out") return { failure: `it took longer than ${exit.seconds} s` };
	if (exit.kind === "failed") return { failure: cutText(exit.reason, MAX_REASON_CHARACTERS) };
	const said = exit.stderr.trim();
	if (exit.code === BLOCK_EXIT) return { block: cutText(said === "" ? "no reason given" : said, MAX_REASON_CHARACTERS) };
	if (exit.code !== 0) return { failure: `exit code ${exit.code}${said === "" ? "" : `: ${cutText(said, MAX_REASON_CHARACTERS)}`}` };
	const text = exit.stdout.trim();
	return text.startsWith("{") ? readObject(text) : {};
}

function readObject(text: string): HookAnswer {
	let value: Readonly<Record<string, unknown>>;
	try {
		value = JSON.parse(text) as Readonly<Record<string, unknown>>;
	} catch {
		return { failure: "its output begins like JSON and is none" };
	}
	const specific = asObject(value["hookSpecificOutput"]);
	const permission = specific["permissionDecision"];
	const blocked = value["decision"] === "block" || permission === "deny" || permission === "ask";
	const reason = textOf(value["reason"]) ?? textOf(specific["permissionDecisionReason"]);
	const context = textOf(specific["additionalContext"]) ?? textOf(value["additionalContext"]);
	return {
		...(blocked ? { block: cutText(reason ?? describePermission(permission), MAX_REASON_CHARACTERS) } : {}),
		...(value["continue"] === false
			? { stop: cutText(textOf(value["stopReason"]) ?? reason ?? "no reason given", MAX_REASON_CHARACTERS) }
			: {}),
		...(context === undefined ? {} : { context: cutText(context, MAX_TEXT_CHARACTERS) }),
	};
}

/** There is nobody to ask, so a wish to ask is a no (S-113). */
function describePermission(permission: unknown): string {
	return permission === "ask" ? "it wants a person to be asked, and the run is unattended" : "no reason given";
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function textOf(value: unknown): string | undefined {
	return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
