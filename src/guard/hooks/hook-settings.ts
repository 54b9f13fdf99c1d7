import { UserError } from "../../domain/errors.ts";

/** The moments at which commands of the trusted ref are asked, in the Claude layout (S-174 to S-180). */
export const HOOK_EVENTS = ["SubagentStart", "SubagentStop", "PreToolUse", "PostToolUse", "TaskCreated", "TaskCompleted"] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** One command and when it is asked. */
export interface Hook {
	readonly event: HookEvent;
	/** What the matcher is compared with: the agent's name at start and stop, the tool's name around calls. */
	readonly matches: (name: string) => boolean;
	/** As written, for reports. */
	readonly matcher: string;
	/** Undefined for a kind that cannot be run here: asking it is a failure, never a pass. */
	readonly command: string | undefined;
	readonly timeoutMs: number;
	/** File it was read from. */
	readonly source: string;
}

const DEFAULT_TIMEOUT_SECONDS = 60;
const HIGHEST_TIMEOUT_SECONDS = 600;
const MAX_HOOKS = 100;
const MAX_MATCHER_CHARACTERS = 500;

/**
 * Reads the `hooks` block of a settings file: event → [{matcher, hooks: [{type: "command", command, timeout}]}]. Events
 * that do not exist here belong to others and are left alone. Throws a UserError for anything else that cannot be read:
 * a gate that is not understood must not be open.
 * @param source file name for messages and reports
 */
export function parseHooks(value: unknown, source: string): readonly Hook[] {
	if (value === undefined || value === null) return [];
	const events = requireObject(value, source, "hooks");
	const hooks = HOOK_EVENTS.flatMap((event) => parseEvent(event, events[event], source));
	if (hooks.length > MAX_HOOKS) throw fault(source, "hooks", `${hooks.length} commands`, `at most ${MAX_HOOKS}`);
	return hooks;
}

function parseEvent(event: HookEvent, value: unknown, source: string): readonly Hook[] {
	if (value === undefined) return [];
	if (!Array.isArray(value)) throw fault(source, `hooks.${event}`, describe(value), "an array of {matcher, hooks}");
	return value.flatMap((entry: unknown, index) => {
		const key = `hooks.${event}[${index}]`;
		const group = requireObject(entry, source, key);
		const matcher = group["matcher"] ?? "";
		if (typeof matcher !== "string") throw fault(source, `${key}.matcher`, describe(matcher), "a text");
		const matches = compileMatcher(matcher, source, `${key}.matcher`);
		const commands = group["hooks"];
		if (!Array.isArray(commands)) throw fault(source, `${key}.hooks`, describe(commands), "an array of commands");
		return commands.map((command: unknown, place): Hook => {
			const name = `${key}.hooks[${place}]`;
			return { event, matcher, matches, source, ...parseCommand(requireObject(command, source, name), source, name) };
		});
	});
}

function parseCommand(entry: Readonly<Record<string, unknown>>, source: string, key: string): Pick<Hook, "command" | "timeoutMs"> {
	const { type, command, timeout } = entry;
	const seconds = timeout ?? DEFAULT_TIMEOUT_SECONDS;
	if (typeof seconds !== "number" || !(seconds > 0)) throw fault(source, `${key}.timeout`, describe(timeout), "seconds above 0");
	const timeoutMs = Math.min(seconds, HIGHEST_TIMEOUT_SECONDS) * 1_000;
	if (type !== "command") {
		if (typeof type !== "string") throw fault(source, `${key}.type`, describe(type), "command");
		return { command: undefined, timeoutMs };
	}
	if (typeof command !== "string" || command.trim() === "") throw fault(source, `${key}.command`, describe(command), "a command line");
	return { command, timeoutMs };
}

/** Nothing and `*` fit everything; the rest is an expression for the whole name, so that `Edit|Write` is two names. */
function compileMatcher(matcher: string, source: string, key: string): Hook["matches"] {
	if (matcher === "" || matcher === "*") return () => true;
	if (matcher.length > MAX_MATCHER_CHARACTERS) {
		throw fault(source, key, `${matcher.length} characters`, `at most ${MAX_MATCHER_CHARACTERS}`);
	}
	try {
		const expression = new RegExp(`^(?:${matcher})$`);
		return (name) => expression.test(name);
	} catch {
		throw fault(source, key, JSON.stringify(matcher.slice(0, 80)), "a name, names with | between them, or a regular expression");
	}
}

function requireObject(value: unknown, source: string, key: string): Readonly<Record<string, unknown>> {
	if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
	throw fault(source, key, describe(value), "an object");
}

function describe(value: unknown): string {
	return value === undefined ? "nothing" : (JSON.stringify(value)?.slice(0, 80) ?? typeof value);
}

function fault(source: string, key: string, found: string, wanted: string): UserError {
	return new UserError(`${source}: ${key}: found ${found}, wanted ${wanted}`, { code: "E_POLICY" });
}
