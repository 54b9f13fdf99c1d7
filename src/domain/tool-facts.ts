import type { CheckOutcome } from "./checks.ts";

/** What a compiler or linter that the repository already trusts says of a place at the head. Its text is data. */
export interface ToolFact {
	/** `go vet`, `cargo check`, … */
	readonly tool: string;
	/** The tool's own name of the rule, such as `printf`, `E0308`, `F401`; empty when it has none. */
	readonly rule: string;
	readonly path: string;
	/** 1-based, in the head file. */
	readonly line: number;
	/** One line, at most 300 characters. */
	readonly message: string;
	readonly level: "error" | "warning";
	readonly onChangedLine: boolean;
	/** True when the merge base does not have it; undefined when the base could not be asked. */
	readonly isNew: boolean | undefined;
}

/** One run of a tool at the head. */
export interface ToolRun {
	readonly tool: string;
	/** Relative to the tree; empty for its top. */
	readonly folder: string;
	/** `passed` and `failed` both mean that it has spoken. */
	readonly outcome: CheckOutcome;
	readonly reason: string;
}

/** Everything the tools said of a change, and which could not speak. */
export interface ToolFacts {
	/** By path and line: what lies on changed lines, and errors elsewhere that the change brings in. */
	readonly facts: readonly ToolFact[];
	readonly runs: readonly ToolRun[];
}
