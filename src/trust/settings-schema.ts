import * as z from "zod";
import { maintenanceSchema } from "./maintenance-schema.ts";

/** A child never makes more model calls than this, whatever anybody writes (S-077). */
export const HIGHEST_MAX_STEPS = 200;
const HIGHEST_TOKEN_BUDGET = 5_000_000;
const HIGHEST_TIMEOUT_SECONDS = 3_600;
const HIGHEST_CONCURRENT = 16;
const HIGHEST_DEPTH = 3;

const maxSteps = z
	.int()
	.min(1)
	.max(HIGHEST_MAX_STEPS, `a whole number from 1 to ${HIGHEST_MAX_STEPS}`)
	.describe("Most model calls of one child, 1 to 200. Default 20.");
const tokenBudget = z
	.int()
	.min(1_000, "at least 1000")
	.max(HIGHEST_TOKEN_BUDGET, `at most ${HIGHEST_TOKEN_BUDGET}`)
	.describe("Tokens of one child: input, cache and output together. Default 150,000.");
const globs = z.array(z.string().min(1, "a text that is not empty"));
const usd = z.number().positive("a number above 0");
const modelName = z
	.string()
	.min(1, "a model's name")
	.regex(/^[^\p{C}\s]+$/u, "an alias or a full id, without blanks");
const name = z.string().min(1, "a name");

/** A host name, or `*.` and a domain for every host below it. */
const hostName = z
	.string()
	.regex(
		/^(?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+$/,
		"a host name such as packages.example.org or *.example.org",
	);
const languageId = z.string().regex(/^[a-z][a-z0-9+#-]*$/, "the id of a language, such as go");
const extension = z.string().regex(/^\.[A-Za-z0-9_+.-]+$/, "an extension with its dot, such as .kt");

const expertSchema = z
	.strictObject({
		displayName: name.optional().describe("Name shown in reports. Default: the id."),
		extensions: z.array(extension).optional().describe("Extensions with their dot; added to those of a built-in language."),
		filenames: z.array(name).optional().describe("Whole file names that belong to the language."),
		manifests: z.array(name).optional().describe("Manifest files, with * for any part of a name."),
		test: name.optional().describe("Command that runs the tests."),
		guidance: z
			.string()
			.max(20_000, "at most 20,000 characters")
			.optional()
			.describe("What to look for; stands behind a built-in language's guidance."),
		enabled: z.boolean().optional().describe("false: no specialist for this language. Default true."),
	})
	.describe("A further language, or additions to a built-in one.");

const moeSchema = z
	.strictObject({
		enabled: z.boolean().optional().describe("Whether language specialists review. Default true."),
		maxSteps: maxSteps.optional(),
		tokenBudget: tokenBudget.optional(),
		defaultLanguage: languageId.optional().describe("Language of a task that nothing decides. Default: none, the generalist takes it."),
		experts: z.record(languageId, expertSchema).optional().describe("Languages by id."),
	})
	.describe("The language specialists.");

const subagentsSchema = z
	.strictObject({
		enabled: z.boolean().optional().describe("Whether custom agents and explore run. Default true."),
		maxSteps: maxSteps.optional(),
		tokenBudget: tokenBudget.optional(),
		exploreTokenBudget: tokenBudget.optional().describe("Tokens of an explore child. Default 50,000."),
		timeoutSeconds: z
			.int()
			.min(5, "at least 5")
			.max(HIGHEST_TIMEOUT_SECONDS, `at most ${HIGHEST_TIMEOUT_SECONDS}`)
			.optional()
			.describe("Wall clock of one child. Default 300."),
		maxConcurrent: z
			.int()
			.min(1)
			.max(HIGHEST_CONCURRENT, `at most ${HIGHEST_CONCURRENT}`)
			.optional()
			.describe("Children at the same time. Default 4."),
		maxDepth: z
			.int()
			.min(0)
			.max(HIGHEST_DEPTH, `at most ${HIGHEST_DEPTH}`)
			.optional()
			.describe("How deep agents may call agents. Default 1."),
	})
	.describe("Limits of custom agents and of every child.");

const reviewerRule = z
	.strictObject({
		agent: name.describe("Name of a custom agent."),
		paths: globs.optional().describe("Globs over changed paths."),
		pathsIgnore: globs.optional().describe("Globs of paths this rule leaves out."),
		labels: z.array(name).optional().describe("Labels of the pull request."),
		languages: z.array(languageId).optional().describe("Language ids."),
		owners: z.array(name).optional().describe("Owners in CODEOWNERS, such as @octo/payments: files that one of them owns."),
		when: z.enum(["matched", "always", "never"]).default("matched").describe("matched: by the conditions. Default matched."),
	})
	.describe("When a custom agent reviews.");

const reviewSchema = z
	.strictObject({
		auto: z.boolean().optional().describe("Review pull requests without being asked. Default true."),
		drafts: z.boolean().optional().describe("Review drafts, too. Default false."),
		labels: z.array(name).optional().describe("Labels that start a review when they are added."),
		paths: globs.optional().describe("Globs of the files to review. Default: all."),
		pathsIgnore: globs.optional().describe("Globs of files to leave out."),
		minConfidence: z
			.number()
			.min(0)
			.max(100, "a number from 0 to 100")
			.optional()
			.describe("Least confidence of a shown finding. Default 80."),
		maxInline: z.int().min(0).max(30, "at most 30").optional().describe("Inline comments of one run. Default 8."),
		maxInlinePerPullRequest: z
			.int()
			.min(0)
			.max(200, "at most 200")
			.optional()
			.describe("Inline comments of a pull request over all runs. Default 20."),
		maxReviewers: z
			.int()
			.min(0)
			.max(32, "at most 32")
			.optional()
			.describe("Custom agents that take part in one automatic review. Default 4; more of them are for reviews over several jobs."),
		maxRunsPerDay: z
			.int()
			.min(1)
			.max(1_000, "at most 1,000")
			.optional()
			.describe("Automatic reviews of one pull request in one day, UTC; the comment /review is not bound by it. Default 50."),
		failOn: z
			.enum(["critical", "important", "minor", "nit", "never"])
			.optional()
			.describe("Least severity that fails the check. Default never."),
		verify: z.boolean().optional().describe("Let a second child try to refute findings. Default true."),
		facts: z
			.enum(["model", "always", "off"])
			.optional()
			.describe(
				"Ask the repository's own compilers and linters first (go vet, cargo check, ruff, javac, tsc, eslint), in a trusted run with a sandbox: with a model, always, or never. Default model.",
			),
		suggestions: z.boolean().optional().describe("Offer replacement text. Default true."),
		overview: z.boolean().optional().describe("Let the model write an overview above the findings. Default false."),
		reviewers: z.array(reviewerRule).optional().describe("Rules for custom agents, the first one that fits counts."),
	})
	.describe("What is reviewed and what is shown.");

const budgetSchema = z
	.strictObject({
		runUsd: usd.optional().describe("US dollars of one run. Default 2."),
		runTokens: z.int().min(1_000, "at least 1000").optional().describe("Tokens of one run. Default 2,000,000."),
		pullRequestUsd: usd.optional().describe("US dollars of a pull request over all runs."),
		repositoryDayUsd: usd.optional().describe("US dollars of the repository in one day, UTC."),
	})
	.describe("What runs may cost.");

/** `.rookery/settings.json`, strict: an unknown key is an error, since it would be a wish that is not heard. */
export const settingsFileSchema = z
	.strictObject({
		$schema: z.string().optional().describe("Address of this schema, for editors."),
		model: modelName.optional().describe("Model of specialists, reviewers, verifier and synthesis: an alias or a full id."),
		models: z
			.strictObject({
				orchestrator: modelName.optional(),
				specialist: modelName.optional(),
				explore: modelName.optional(),
				reviewer: modelName.optional(),
				verifier: modelName.optional(),
			})
			.optional()
			.describe("Models by kind of child."),
		agentModels: z.record(name, modelName).optional().describe("Own aliases: short name to full id."),
		effort: z.enum(["low", "medium", "high", "xhigh", "max"]).optional().describe("How hard the model thinks. Default medium."),
		moe: moeSchema.optional(),
		subagents: subagentsSchema.optional(),
		review: reviewSchema.optional(),
		budget: budgetSchema.optional(),
		checks: z.record(languageId, name).optional().describe("Test command by language id, instead of the detected one."),
		packages: z
			.record(
				z.string().regex(/^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\\]*[^/\\]$/, "a folder from the repository's top, such as apps/web"),
				z.strictObject({
					checks: z.record(languageId, name).optional().describe("Test command by language id, run in this folder."),
					guidance: z
						.string()
						.max(4_000, "at most 4,000 characters")
						.optional()
						.describe("What specialists who read files of it are told besides."),
				}),
			)
			.optional()
			.describe("Settings of the packages of a monorepo, by folder; the longest that fits counts."),
		sandbox: z
			.strictObject({
				dependencies: z
					.array(name)
					.optional()
					.describe(
						"Folders the workflow has installed, shown read-only to commands: node_modules, .venv, ~/.m2/repository, ~/go/pkg/mod or an absolute path. Default none.",
					),
				allowHosts: z
					.array(hostName)
					.optional()
					.describe(
						"Hosts that the commands of maintenance jobs may reach, such as packages.example.org or *.example.org. They then run under @anthropic-ai/sandbox-runtime, which the workflow installs (docs/maintenance.md). Default none.",
					),
			})
			.optional()
			.describe("What sandboxed commands see and reach."),
		commit: z
			.enum(["api", "git", "ssh"])
			.optional()
			.describe(
				"How fixes are committed. api: through GitHub's API, signed by GitHub. git: with git, unsigned. ssh: with git, signed with the input signing-key. Default api.",
			),
		maintenance: maintenanceSchema.optional(),
		hooks: z.unknown().optional().describe("Commands around tool calls."),
		agents: z
			.strictObject({
				trust: z
					.enum(["base", "pinned"])
					.optional()
					.describe("base: merged agents run. pinned: only those in .rookery/trust.json. Default base."),
			})
			.optional()
			.describe("Custom agents."),
	})
	.describe("Settings of Rookery, read at the base commit of a pull request.");

/** `.garuda/settings.json`: two of its blocks mean the same here; whatever else stands there is for others. */
export const garudaFileSchema = z.looseObject({
	moe: z.looseObject({ enabled: z.boolean().optional(), maxSteps: maxSteps.optional(), tokenBudget: tokenBudget.optional() }).optional(),
	subagents: z
		.looseObject({ enabled: z.boolean().optional(), maxSteps: maxSteps.optional(), tokenBudget: tokenBudget.optional() })
		.optional(),
});

export type SettingsFile = z.infer<typeof settingsFileSchema>;
export type GarudaFile = z.infer<typeof garudaFileSchema>;
