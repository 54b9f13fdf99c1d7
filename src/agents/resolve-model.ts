import type { ReasonCode } from "../domain/errors.ts";

const MAX_CHARACTERS = 200;

const ALIASES: readonly string[] = ["sonnet", "opus", "haiku", "fable"];

/** `claude-…` with the prefixes and suffixes of the cloud providers; nothing that needs quoting anywhere. */
const FULL_ID = /^(?:[a-z0-9-]+[./])*claude-[a-z0-9][\w.@:-]*$/i;

/**
 * What kind of value a `model` is, before any alias table is known (BR-64). `forbidden` can be no model at all: an
 * address or something with control characters (A35).
 */
export function classifyModel(value: string): "inherit" | "alias" | "full-id" | "unknown" | "forbidden" {
	const text = value.trim();
	if (text.length > MAX_CHARACTERS || /\p{C}/u.test(text) || text.includes("://") || text.startsWith("-")) return "forbidden";
	if (text === "" || text.toLowerCase() === "inherit") return "inherit";
	if (ALIASES.includes(text.toLowerCase())) return "alias";
	return FULL_ID.test(text) ? "full-id" : "unknown";
}

export interface ModelWish {
	/** What the call names; goes before the file (S-152). */
	readonly call?: string;
	/** What the agent file names. */
	readonly agent?: string;
	/** The caller's model, a full id. */
	readonly inherited: string;
	/** Alias to full id; names are compared without case. */
	readonly aliases: Readonly<Record<string, string>>;
	/** Full ids, a `*` at the end for a prefix; absent when no policy speaks of models. */
	readonly allowed?: readonly string[];
}

export type ResolvedModel =
	| {
			readonly ok: true;
			readonly model: string;
			readonly source: "call" | "agent" | "inherited";
			/** Why it is this one; shown in the plan. */
			readonly reason: string;
			/** True when a wish was not met. */
			readonly warning: boolean;
	  }
	| { readonly ok: false; readonly code: ReasonCode; readonly reason: string };

/**
 * The model of one child: the call's, else the file's, mapped through the alias table; what does not resolve is
 * inherited with the reason (S-152). A call for a model that policy forbids is refused; a file's wish for one is
 * not met (D-22). Decided on names alone, before any provider client exists (S-119).
 */
export function resolveModel(wish: ModelWish): ResolvedModel {
	const fromCall = resolveWish(wish.call, wish);
	if (fromCall.kind === "id") {
		if (isModelAllowed(fromCall.id, wish.allowed)) {
			return { ok: true, model: fromCall.id, source: "call", reason: `the call names ${wish.call?.trim()}`, warning: false };
		}
		return { ok: false, code: "E_POLICY", reason: describeForbidden(fromCall.id, wish.allowed ?? []) };
	}
	if (fromCall.kind === "unknown") return inherit(wish, `the call's model ${quote(wish.call)} is unknown`, true);
	const fromFile = resolveWish(wish.agent, wish);
	if (fromFile.kind === "id") {
		if (isModelAllowed(fromFile.id, wish.allowed)) {
			return { ok: true, model: fromFile.id, source: "agent", reason: `the agent file names ${wish.agent?.trim()}`, warning: false };
		}
		return inherit(wish, `policy does not allow the agent file's model ${fromFile.id}`, true);
	}
	if (fromFile.kind === "unknown") return inherit(wish, `the agent file's model ${quote(wish.agent)} is unknown`, true);
	return inherit(wish, "nobody names a model", false);
}

function resolveWish(value: string | undefined, wish: ModelWish): { kind: "id"; id: string } | { kind: "unknown" } | { kind: "none" } {
	if (value === undefined) return { kind: "none" };
	const kind = classifyModel(value);
	if (kind === "inherit") return { kind: "none" };
	if (kind === "forbidden") return { kind: "unknown" };
	const name = value.trim();
	const alias = Object.entries(wish.aliases).find(([key]) => key.toLowerCase() === name.toLowerCase());
	if (alias !== undefined) return { kind: "id", id: alias[1] };
	// An id of another maker is only believed when policy lists it in full.
	if (kind === "full-id" || wish.allowed?.includes(name)) return { kind: "id", id: name };
	return { kind: "unknown" };
}

function inherit(wish: ModelWish, why: string, warning: boolean): ResolvedModel {
	if (!isModelAllowed(wish.inherited, wish.allowed)) {
		return { ok: false, code: "E_POLICY", reason: describeForbidden(wish.inherited, wish.allowed ?? []) };
	}
	return { ok: true, model: wish.inherited, source: "inherited", reason: `${why}; ${wish.inherited} is inherited`, warning };
}

/** True when policy says nothing of models, or lists this one in full or by a prefix with `*`. */
export function isModelAllowed(model: string, allowed: readonly string[] | undefined): boolean {
	if (allowed === undefined) return true;
	return allowed.some((entry) => (entry.endsWith("*") ? model.startsWith(entry.slice(0, -1)) : model === entry));
}

function describeForbidden(model: string, allowed: readonly string[]): string {
	return `policy does not allow the model ${model}; allowed: ${allowed.length === 0 ? "none" : allowed.join(", ")}`;
}

function quote(value: string | undefined): string {
	return JSON.stringify((value ?? "").trim().slice(0, 60));
}
