import { createHash } from "node:crypto";
import type { WireBlock } from "./wire-request.ts";

/** Signature of a thinking text; the same in every process, so that a conversation survives a new server. */
export function signThinking(text: string): string {
	return digest(`thinking\n${text}`);
}

/** Payload of a redacted thinking block that proves itself. */
export function redactThinking(text: string): string {
	const payload = Buffer.from(text).toString("base64");
	return `${payload}.${digest(payload)}`;
}

export function isOwnSignature(block: WireBlock): boolean {
	return typeof block["thinking"] === "string" && block["signature"] === signThinking(block["thinking"]);
}

export function isOwnRedacted(block: WireBlock): boolean {
	const [payload, proof] = String(block["data"]).split(".");
	return payload !== undefined && proof === digest(payload);
}

function digest(text: string): string {
	return createHash("sha256").update(text).digest("base64url");
}
