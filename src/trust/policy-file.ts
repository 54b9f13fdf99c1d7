import * as z from "zod";
import { UserError } from "../domain/errors.ts";
import { explainSchemaIssue } from "./explain-schema-issue.ts";
import { parseJsonWithComments } from "./parse-json-with-comments.ts";

const words = z.array(z.string().min(1)).describe("A list of non-empty texts.");

const count = z.int().min(1);

/** A host name, or `*.` and a domain for every host below it; a port may follow. */
const host = z
	.string()
	.regex(/^(?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?$/, "A host name such as api.example.com or *.example.com");

/** `Tool` or `Tool(pattern)`; `:*` means "and anything behind" and stands only at the end (BR-77). */
const rule = z
	.string()
	.regex(/^[A-Za-z_][\w-]*(?:\([^\n\r]+\))?$/, "A tool name, with a pattern in brackets if need be, such as Bash(npm test:*)")
	.refine((text) => !/:\*(?!\)?$)/.test(text), "A pattern with :* only at its end, such as Bash(git diff:*)");

const commandPattern = z
	.string()
	.min(1)
	.refine((text) => !/:\*(?!$)/.test(text), "A pattern with :* only at its end, such as git push:*");

/** `.rookery/policy.json` and the organisation's policy: what a team forbids, whatever settings and agents say. */
export const policyFileSchema = z
	.strictObject({
		$schema: z.string().optional(),
		denyCommands: z.array(commandPattern).optional().describe("Commands that are never run, such as git push:*."),
		denyPaths: words.optional().describe("Globs of files that no tool may read or write."),
		protectedPaths: words.optional().describe("Globs of files that may be read and never written."),
		allowHosts: z.array(host).optional().describe("The only hosts that web tools may reach. An empty list allows none."),
		allowedModels: words.optional().describe("The only models that may be used: full ids, a * at the end for a prefix."),
		requireSandbox: z.boolean().optional().describe("Stop the run when no sandbox can be had."),
		limits: z
			.strictObject({
				maxSteps: count.optional(),
				tokenBudget: count.optional(),
				timeoutSeconds: count.optional(),
				maxConcurrent: count.optional(),
				maxDepth: z.int().min(0).optional(),
				runUsd: z.number().positive().optional(),
			})
			.optional()
			.describe("Upper bounds; settings, inputs and agents can only go below."),
		permissions: z
			.strictObject({ allow: z.array(rule).optional(), deny: z.array(rule).optional() })
			.optional()
			.describe("Tool rules; deny wins over allow."),
	})
	.describe("Team policy of Rookery. Several policies are merged, the stricter value of each key.");

export type PolicyFile = z.infer<typeof policyFileSchema>;

const KNOWN_KEYS = {
	"": ["denyCommands", "denyPaths", "protectedPaths", "allowHosts", "allowedModels", "requireSandbox", "limits", "permissions"],
	limits: ["maxSteps", "tokenBudget", "timeoutSeconds", "maxConcurrent", "maxDepth", "runUsd"],
	permissions: ["allow", "deny"],
};

/**
 * Parses one policy file. A broken policy never means "no rules": it throws a UserError with `E_POLICY`, and the
 * run ends before any model call (S-108).
 */
export function parsePolicyFile(text: string, file: string): PolicyFile {
	const value = parseJsonWithComments(text, file, "E_POLICY");
	const parsed = policyFileSchema.safeParse(value);
	if (parsed.success) return parsed.data;
	throw new UserError(explainSchemaIssue(file, parsed.error, value, KNOWN_KEYS), { code: "E_POLICY" });
}
