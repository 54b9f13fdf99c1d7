import { UserError } from "../domain/errors.ts";
import type { Severity } from "../domain/finding.ts";
import { INPUT_TABLE, type InputDeclaration } from "./input-table.ts";
import { type Inputs, type Provider, PUBLISH_TARGETS, type PublishTarget, type RunMode } from "./inputs.ts";
import { nearestName } from "./nearest-name.ts";

const PREFIX = "INPUT_";
const TRUE_WORDS: readonly string[] = ["true", "1", "yes"];
const FALSE_WORDS: readonly string[] = ["false", "0", "no"];
const JOB_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const AMOUNT = /^(?:\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})$/;
const COUNT = /^[1-9]\d{0,2}$/;
const MAX_COUNT = 32;
const MAX_SHOWN = 60;

/**
 * The inputs as the runner hands them over: `INPUT_` and the name in upper case, blanks as underscores, hyphens
 * kept. Underscores for hyphens are taken, too, since shells cannot set names with hyphens.
 *
 * A value that does not fit throws a UserError that names the input, what was found and what is wanted; an input
 * nobody declared is a warning, as it is for the runner.
 */
export function readInputs(environment: Readonly<Record<string, string | undefined>>, declared: readonly InputDeclaration[]): Inputs {
	const values = new Map(declared.map((input) => [input.name, checkValue(input, findValue(environment, input))]));
	const text = (name: string): string | undefined => values.get(name) || undefined;
	const anthropicApiKey = text("anthropic-api-key");
	const provider = text("provider") as Provider | undefined;
	const optional = {
		githubToken: text("github-token"),
		anthropicApiKey,
		baseUrl: text("base-url"),
		model: text("model"),
		job: text("job"),
		shard: text("shard") === undefined ? undefined : Number(text("shard")),
		plan: text("plan"),
		outbox: text("outbox"),
		policy: text("policy"),
		failOn: text("fail-on") as Severity | "never" | undefined,
		maxCostUsd: text("max-cost-usd") === undefined ? undefined : Number(text("max-cost-usd")),
		agentsRepo: text("agents-repo"),
		signingKey: text("signing-key"),
		trust: text("trust") as "base" | "pinned" | undefined,
	};
	return {
		...dropUndefined(optional),
		provider: provider ?? (anthropicApiKey === undefined ? "offline" : "anthropic"),
		providerGiven: provider !== undefined,
		mode: (text("mode") ?? "run") as RunMode,
		shards: Number(text("shards") ?? "5"),
		settings: text("settings") ?? ".rookery/settings.json",
		publish: parsePublish(text("publish") ?? "all"),
		workingDirectory: text("working-directory") ?? ".",
		dryRun: text("dry-run") === "true",
		userAgents: text("user-agents") === "true",
		setupSandbox: text("setup-sandbox") === "true",
		allowedBots: splitList(text("allowed-bots") ?? ""),
		warnings: findUnknown(environment, declared),
	};
}

/** The action's own inputs, read with its own table. */
export function readActionInputs(environment: Readonly<Record<string, string | undefined>>): Inputs {
	return readInputs(environment, INPUT_TABLE);
}

/** Environment names of an input: the runner's own form first. */
function environmentNames(name: string): readonly [string, string] {
	const upper = name.replace(/ /g, "_").toUpperCase();
	return [`${PREFIX}${upper}`, `${PREFIX}${upper.replace(/-/g, "_")}`];
}

function findValue(environment: Readonly<Record<string, string | undefined>>, input: InputDeclaration): string {
	const given = environmentNames(input.name)
		.map((name) => environment[name]?.trim() ?? "")
		.find((value) => value !== "");
	// A default that is an expression is evaluated by the runner; outside of it, it means nothing.
	return given ?? (input.default.includes("${{") ? "" : input.default);
}

/** The normalised text of one input: booleans as `true` or `false`, choices in lower case. */
function checkValue(input: InputDeclaration, value: string): string {
	if (value === "") return "";
	const { value: expected } = input;
	switch (expected.kind) {
		case "boolean":
			return parseBoolean(input.name, value);
		case "choice":
			return parseChoice(input.name, value, expected.choices);
		case "choices":
			return splitList(value)
				.map((one) => parseChoice(input.name, one, [...expected.choices, "all", "none"]))
				.join(",");
		case "amount":
			if (AMOUNT.test(value) && Number(value) > 0) return value;
			throw fault(input.name, value, "a number above 0, such as 1.50");
		case "count":
			if (COUNT.test(value) && Number(value) <= MAX_COUNT) return value;
			throw fault(input.name, value, `a whole number from 1 to ${MAX_COUNT}`);
		case "job":
			if (JOB_NAME.test(value)) return value;
			throw fault(input.name, value, "a job's name of letters, digits, dots, dashes and underscores");
		case "url":
			return parseAddress(input.name, value);
		case "path":
			if (!value.split(/[/\\]/).includes("..") && !/\p{Cc}/u.test(value)) return value;
			throw fault(input.name, value, "a path without ..");
		case "text":
			if (!/\p{Cc}/u.test(value)) return value;
			throw fault(input.name, value, "one line of text");
		case "secret":
		case "list":
			return value;
	}
}

/** BR-42: inputs are texts, and `"false"` is no truth. */
function parseBoolean(name: string, value: string): "true" | "false" {
	const word = value.toLowerCase();
	if (TRUE_WORDS.includes(word)) return "true";
	if (FALSE_WORDS.includes(word)) return "false";
	throw fault(name, value, "true or false");
}

function parseChoice(name: string, value: string, choices: readonly string[]): string {
	const word = value.toLowerCase();
	if (choices.includes(word)) return word;
	const nearest = nearestName(word, choices);
	throw fault(name, value, `${choices.join(", ")}${nearest === undefined ? "" : `; did you mean ${nearest}?`}`);
}

function parseAddress(name: string, value: string): string {
	if (URL.canParse(value)) {
		const { protocol, username, password } = new URL(value);
		if ((protocol === "https:" || protocol === "http:") && username === "" && password === "") return value.replace(/\/+$/, "");
	}
	// What stands before an @ may be a password.
	throw fault(name, value.replace(/\/\/.*@/, "//...@"), "an http or https address without a user name");
}

function parsePublish(value: string): ReadonlySet<PublishTarget> {
	const words = splitList(value);
	if (words.length > 1 && (words.includes("all") || words.includes("none"))) {
		throw fault("publish", value, "all or none alone, or a list of targets");
	}
	if (words.includes("all")) return new Set(PUBLISH_TARGETS);
	return new Set(PUBLISH_TARGETS.filter((target) => words.includes(target)));
}

/** Values between commas and line ends, blanks around them cut off. */
function splitList(value: string): readonly string[] {
	return value
		.split(/[,\n]/)
		.map((part) => part.trim())
		.filter((part) => part !== "");
}

function findUnknown(environment: Readonly<Record<string, string | undefined>>, declared: readonly InputDeclaration[]): readonly string[] {
	const known = new Set(declared.flatMap((input) => environmentNames(input.name)));
	const names = declared.map((input) => input.name);
	return Object.entries(environment)
		.filter(([key, value]) => key.startsWith(PREFIX) && key.length > PREFIX.length && value !== "" && !known.has(key))
		.map(([key]) => key.slice(PREFIX.length).toLowerCase().replace(/_/g, "-"))
		.sort()
		.map((name) => {
			const nearest = nearestName(name, names);
			return `input ${name} is not known and has no effect${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
		});
}

function fault(name: string, found: string, wanted: string): UserError {
	return new UserError(`input ${name}: found ${JSON.stringify(found.slice(0, MAX_SHOWN))}, wanted ${wanted}`);
}

function dropUndefined<T extends object>(record: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
	return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
		[K in keyof T]?: Exclude<T[K], undefined>;
	};
}
