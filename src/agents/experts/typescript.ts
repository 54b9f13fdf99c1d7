import type { LanguageProfile } from "./language-profile.ts";

const GUIDANCE = `Idioms: strict nulls, discriminated unions, Generics, ESM, Node APIs and Browser APIs, Vitest or Jest.
Look for, in this order:
- Promises: one that is not awaited, so that its failure is unhandled or its work races; async callbacks in forEach, map without Promise.all, addEventListener, setTimeout or an Express handler; Promise.all where one failure must not lose the others; await in a loop that could run together, and the reverse; a try block around a promise that is returned and not awaited.
- Null and undefined: strict nulls defeated by \`!\`, \`as\` or a default that hides absence; \`||\` where 0, "" or false are valid (\`??\`); optional chaining that makes a missing value a silent no-op; array access and Record lookups taken as always there (noUncheckedIndexedAccess off); find, match, Map.get, querySelector used unchecked.
- Types that lie: \`as\` on JSON.parse, fetch results, event data or environment; any that spreads; a type guard whose body does not prove its claim; unknown narrowed by a truth test; non-exhaustive handling of a discriminated union (no never check) after a new member; enum and string union mixed; an overload or generic with a parameter that only appears once; a generic constraint that drops inference.
- Equality and identity: == with mixed types, objects compared by reference, NaN, dates; object or array literals as React dependencies or map keys.
- Mutation: arguments, props, state or module-level objects changed in place; sort, reverse, splice on shared arrays; shallow spread of nested state; default objects shared by all calls.
- React where used: missing or wrong effect dependencies, stale closures, effects without clean-up, state set from props once, keys by index on lists that change, hooks behind a condition, context values made anew each render where it costs, server and client components mixed up.
- Node APIs: streams and servers without an error handler, pipe instead of pipeline, file handles and timers kept open, synchronous fs or crypto in a request, unbounded Buffers, process.exit that cuts off output, unhandled 'error' events, path joined with input, child_process with a shell.
- Browser APIs: listeners, observers and intervals never removed, innerHTML or dangerouslySetInnerHTML with input, postMessage without origin, fetch without a look at response.ok, AbortController ignored, storage that can throw.
- ESM and packaging: imports without the extension that the resolution needs, require mixed with import, __dirname in ESM, type-only imports that vanish or stay (verbatimModuleSyntax), exports in package.json that miss types or a condition, a dependency used at run time under devDependencies, side-effect imports, import cycles that read a binding too early.
- package.json, lock file and tsconfig: a range that lets in a breaking version, install scripts added, strictness switched off, a target newer than the engines, paths that the bundler does not know.
- Numbers, text and time: parseInt without radix or on "12abc", floats for money, Date parsing of local formats, months from 0, time zones, toLocale in stored data, regular expressions with exponential backtracking or a global flag kept between calls, string length taken for characters.
- Errors: a catch that hides or re-throws without the cause, throw of a non-Error, error text shown to users, finally that overrides a result.
- Security: SQL, shell, HTML or selector text by template literals; prototype pollution by merging input or by keys such as __proto__; open redirects; SSRF by a URL of the user; tokens in URLs or logs; missing authorisation on a route whose siblings have it; eval and new Function.
- Public interfaces: an exported type, function or event changed without its callers; a required field added to something that is stored or sent.
- Tests (Vitest, Jest, node:test): focused or skipped tests left in, a promise assertion without await, expect inside a callback that never runs, mocks that replace what is under test or are not restored, snapshots updated to fit a bug, fake timers left on.

How to confirm: read the type where it is declared and the callers the index names; check tsconfig for strict and the flags above before you rely on them; for a race or a leak, name the order of events; for a wrong dependency, name the value that goes stale and what the user sees.

Not worth reporting: formatting, semicolons, quotes, import order, names, interface against type, function against arrow, missing return types, "any" in tests, console in scripts, micro-optimisation, anything the repository's ESLint or Biome configuration already reports.`;

/** The lock file tells the package manager. */
const MANAGERS: readonly (readonly [file: string, command: string])[] = [
	["pnpm-lock.yaml", "pnpm test"],
	["yarn.lock", "yarn test"],
	["bun.lock", "bun run test"],
	["bun.lockb", "bun run test"],
];

/** TypeScript and JavaScript, one ecosystem and one specialist. */
export const TYPESCRIPT: LanguageProfile = {
	id: "typescript",
	displayName: "TypeScript",
	extensions: [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"],
	filenames: [],
	manifests: [
		"package.json",
		"tsconfig*.json",
		"jsconfig*.json",
		"package-lock.json",
		"npm-shrinkwrap.json",
		"pnpm-lock.yaml",
		"pnpm-workspace.yaml",
		"yarn.lock",
		".npmrc",
		".eslintrc*",
		"biome.json",
		"biome.jsonc",
	],
	keywords: [
		"tsconfig",
		"tsconfig.json",
		"vitest",
		"package.json",
		"npm",
		"pnpm",
		"tsc",
		"eslint",
		"typescript",
		"javascript",
		"node.js",
		"jest",
	],
	guidance: GUIDANCE,
	checkCommands: [{ command: "npx --no-install tsc --noEmit", needs: ["tsconfig.json"] }],
	inherited: MANAGERS.map(([file]) => file),
	testCommand: (files) => {
		if (!files.has("package.json")) return undefined;
		return MANAGERS.find(([file]) => files.has(file))?.[1] ?? "npm test";
	},
};
