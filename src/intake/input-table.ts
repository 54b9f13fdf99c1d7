import { PROVIDERS, PUBLISH_TARGETS, RUN_MODES } from "./inputs.ts";

/** What an input's text is checked against. */
type InputKind =
	| { readonly kind: "text" }
	/** Never shown in an error. */
	| { readonly kind: "secret" }
	| { readonly kind: "url" }
	/** Path inside the repository. */
	| { readonly kind: "path" }
	| { readonly kind: "boolean" }
	/** Decimal number above zero. */
	| { readonly kind: "amount" }
	/** Whole number from 1 to 32. */
	| { readonly kind: "count" }
	/** Name of a maintenance job. */
	| { readonly kind: "job" }
	| { readonly kind: "choice"; readonly choices: readonly string[] }
	/** Comma-separated values, or `all`, or `none`. */
	| { readonly kind: "choices"; readonly choices: readonly string[] }
	/** Comma- or line-separated texts. */
	| { readonly kind: "list" };

/** One input of `action.yml`. */
export interface InputDeclaration {
	/** Kebab-case. */
	readonly name: string;
	readonly description: string;
	/** As in `action.yml`: always a text; empty for none. May be an expression such as `${{ github.token }}`. */
	readonly default: string;
	/** No input is required: everything works with none. */
	readonly required: false;
	readonly value: InputKind;
}

export const FAIL_ON_CHOICES = ["critical", "important", "minor", "nit", "never"] as const;

/** The single source of the action's inputs: `action.yml` and the documentation are checked against it. */
export const INPUT_TABLE: readonly InputDeclaration[] = [
	{
		name: "github-token",
		description: "Token for reading the pull request and publishing the review. Without it, nothing is published.",
		default: `\${{ github.token }}`,
		required: false,
		value: { kind: "secret" },
	},
	{
		name: "anthropic-api-key",
		description: "Key of the Messages API. Without it, the built-in offline analyst reviews at no cost.",
		default: "",
		required: false,
		value: { kind: "secret" },
	},
	{
		name: "provider",
		description: `Who answers model calls: ${PROVIDERS.join(", ")}. Empty: anthropic when a key is given, else offline.`,
		default: "",
		required: false,
		value: { kind: "choice", choices: PROVIDERS },
	},
	{
		name: "base-url",
		description: "Address of an Anthropic-compatible endpoint.",
		default: "",
		required: false,
		value: { kind: "url" },
	},
	{
		name: "model",
		description: "Model of specialists and reviewers: an alias (sonnet, opus, haiku) or a full id. Empty: the setting decides.",
		default: "",
		required: false,
		value: { kind: "text" },
	},
	{
		name: "mode",
		description: `Which part of the run this job does: ${RUN_MODES.join(", ")}. run does all of it; the others share it among jobs (docs/matrix.md).`,
		default: "run",
		required: false,
		value: { kind: "choice", choices: RUN_MODES },
	},
	{
		name: "shards",
		description: "Mode plan: how many jobs the children are spread over at most, up to 32.",
		default: "5",
		required: false,
		value: { kind: "count" },
	},
	{
		name: "shard",
		description: "Mode work: number of the shard that this job runs, from the plan's output shards. Empty: it runs all children.",
		default: "",
		required: false,
		value: { kind: "count" },
	},
	{
		name: "plan",
		description: "Modes work and publish: the output plan of the planning job, as it is.",
		default: "",
		required: false,
		value: { kind: "text" },
	},
	{
		name: "outbox",
		description:
			"Mode publish: folder with the outboxes that an earlier step has downloaded. Empty: they are taken from the artifacts of the run, which needs actions: read.",
		default: "",
		required: false,
		value: { kind: "text" },
	},
	{
		name: "job",
		description: "Name of the maintenance job to run on schedule, workflow_dispatch, repository_dispatch, workflow_run or push.",
		default: "",
		required: false,
		value: { kind: "job" },
	},
	{
		name: "settings",
		description: "Path of the settings file. It is read at the base commit, never from the pull request.",
		default: ".rookery/settings.json",
		required: false,
		value: { kind: "path" },
	},
	{
		name: "policy",
		description: "Path of a further policy file. The stricter value of each key counts.",
		default: "",
		required: false,
		value: { kind: "path" },
	},
	{
		name: "publish",
		description: `What to publish, comma-separated: ${PUBLISH_TARGETS.join(", ")}; or all, or none.`,
		default: "all",
		required: false,
		value: { kind: "choices", choices: PUBLISH_TARGETS },
	},
	{
		name: "fail-on",
		description: `Least severity that fails the job: ${FAIL_ON_CHOICES.join(", ")}. Empty: the setting decides, which is never.`,
		default: "",
		required: false,
		value: { kind: "choice", choices: FAIL_ON_CHOICES },
	},
	{
		name: "max-cost-usd",
		description: "Most US dollars this run may cost. A lower bound of settings or policy stays in force. Empty: 2.",
		default: "",
		required: false,
		value: { kind: "amount" },
	},
	{
		name: "agents-repo",
		description: "Repository with the organisation's agents, as owner/name@<full commit SHA>[:folder].",
		default: "",
		required: false,
		value: { kind: "text" },
	},
	{
		name: "working-directory",
		description: "Folder of the checkout, below the workspace.",
		default: ".",
		required: false,
		value: { kind: "path" },
	},
	{
		name: "dry-run",
		description: "Do everything but publish and push.",
		default: "false",
		required: false,
		value: { kind: "boolean" },
	},
	{
		name: "allowed-bots",
		description: "Bots whose pull requests and comments count, comma-separated, with or without [bot].",
		default: "",
		required: false,
		value: { kind: "list" },
	},
	{
		name: "user-agents",
		description: "Also read the agents in the runner's home folder.",
		default: "false",
		required: false,
		value: { kind: "boolean" },
	},
	{
		name: "setup-sandbox",
		description:
			"Install bubblewrap and let it work on this machine (sudo, Ubuntu), when the sandbox does not work as it is. For hosted runners.",
		default: "false",
		required: false,
		value: { kind: "boolean" },
	},
	{
		name: "signing-key",
		description: "Private SSH key that commits are signed with when the setting commit is ssh. It never reaches a child.",
		default: "",
		required: false,
		value: { kind: "secret" },
	},
	{
		name: "trust",
		description:
			"base: agents merged to the base branch may run. pinned: only those listed in .rookery/trust.json. The stricter of this and the setting counts.",
		default: "",
		required: false,
		value: { kind: "choice", choices: ["base", "pinned"] },
	},
];
