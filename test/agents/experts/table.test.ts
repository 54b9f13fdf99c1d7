import { describe, expect, it } from "vitest";
import { extendTable, findLanguage, LANGUAGES } from "../../../src/agents/experts/table.ts";
import { buildGeneralist } from "../../../src/agents/generalist.ts";
import { buildSpecialist } from "../../../src/agents/specialist-prompt.ts";
import { SHARED_SYSTEM } from "../../../src/plan/shared-system.ts";

const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
	go: [".go"],
	rust: [".rs"],
	python: [".py", ".pyi"],
	java: [".java"],
	typescript: [".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs"],
};

/** What a specialist of the language must have been told (S-015). */
const TERMS: Readonly<Record<string, readonly string[]>> = {
	go: ["errors.Is", "errors.As", "nterface", "oroutine", "table tests"],
	rust: ["Ownership", "Result", "Option", "`?`", "Traits", "workspace", "unit tests", "integration tests"],
	python: ["PEP 484", "PEP 585", "PEP 604", "dataclass", "Pydantic", "Generators", "Async", "Context managers", "ixtures"],
	java: ["ecords", "ealed types", "attern matching", "Streams", "Optional", "Maven", "Gradle", "JUnit 5", "Mockito"],
	typescript: ["strict nulls", "discriminated union", "eneric", "ESM", "Node APIs", "Browser APIs", "Vitest", "Jest"],
};

function profileOf(id: string) {
	const profile = LANGUAGES.find((candidate) => candidate.id === id);
	if (profile === undefined) throw new Error(`no language ${id}`);
	return profile;
}

function commandFor(id: string, ...files: string[]): string | undefined {
	return profileOf(id).testCommand(new Set(files));
}

describe("the language table", () => {
	it("S-013 has the five languages, and every listed extension leads to its language", () => {
		expect(LANGUAGES.map((profile) => profile.id)).toEqual(["go", "rust", "python", "java", "typescript"]);
		for (const [id, extensions] of Object.entries(EXTENSIONS)) {
			for (const extension of extensions) {
				expect(findLanguage(`src/deep/file${extension}`, LANGUAGES)?.profile.id).toBe(id);
				expect(findLanguage(`FILE${extension.toUpperCase()}`, LANGUAGES)?.profile.id).toBe(id);
			}
			expect(profileOf(id).extensions).toEqual(expect.arrayContaining([...extensions]));
		}
	});

	it("S-013 manifests lead to their language, also where their extension says nothing", () => {
		const manifests = {
			go: ["go.mod", "go.sum"],
			rust: ["Cargo.toml"],
			python: ["pyproject.toml", "requirements.txt", "requirements-dev.txt"],
			java: ["pom.xml", "build.gradle", "app/build.gradle.kts"],
			typescript: ["package.json", "tsconfig.json", "tsconfig.build.json"],
		};
		for (const [id, files] of Object.entries(manifests))
			for (const file of files) expect(findLanguage(file, LANGUAGES)?.profile.id).toBe(id);
	});

	it.each(["README.md", "a.kt", "Dockerfile", "x.yaml", ".go", "go", "a.go.txt", "package.json.md", "my-tsconfig.json"])(
		"D-06 %s belongs to no language",
		(path) => {
			expect(findLanguage(path, LANGUAGES)).toBeUndefined();
		},
	);

	it("no extension and no manifest is claimed twice", () => {
		for (const key of ["extensions", "filenames", "manifests"] as const) {
			const all = LANGUAGES.flatMap((profile) => profile[key]);
			expect(new Set(all).size).toBe(all.length);
		}
	});
});

describe("test commands", () => {
	it("S-014 one command, chosen by the files that are there", () => {
		expect(commandFor("java", "mvnw", "pom.xml", "build.gradle", "gradlew")).toBe("./mvnw -B -ntp test");
		expect(commandFor("java", "pom.xml")).toBe("mvn -B -ntp test");
		expect(commandFor("java", "build.gradle")).toBe("gradle test");
		expect(commandFor("java", "build.gradle.kts", "gradlew")).toBe("./gradlew test");
		expect(commandFor("typescript", "package.json", "pnpm-lock.yaml")).toBe("pnpm test");
		expect(commandFor("typescript", "package.json", "package-lock.json")).toBe("npm test");
		expect(commandFor("typescript", "package.json", "yarn.lock")).toBe("yarn test");
		expect(commandFor("typescript", "package.json", "bun.lock")).toBe("bun run test");
		expect(commandFor("go", "go.mod")).toBe("go test ./...");
		expect(commandFor("rust", "Cargo.toml")).toBe("cargo test");
		expect(commandFor("python", "tests/test_a.py")).toBe("pytest");
		expect(commandFor("python", "pyproject.toml", "uv.lock")).toBe("uv run pytest");
	});

	it("D-07 no command holds a second tool, and nothing is guessed where nothing tells", () => {
		const everything = new Set([
			"mvnw",
			"pom.xml",
			"gradlew",
			"build.gradle",
			"package.json",
			"pnpm-lock.yaml",
			"package-lock.json",
			"go.mod",
			"Cargo.toml",
			"pyproject.toml",
		]);
		for (const profile of LANGUAGES) {
			expect(profile.testCommand(everything)).toMatch(/^[^|&;]+$/);
			expect(profile.testCommand(new Set(["README.md"]))).toBeUndefined();
		}
	});
});

describe("buildSpecialist", () => {
	it.each(Object.keys(TERMS))("S-015 the %s specialist knows its terms and the resolved test command", (id) => {
		const { prompt } = buildSpecialist(profileOf(id), { testCommand: `run-tests-of-${id}` });
		for (const term of TERMS[id] ?? []) expect(prompt).toContain(term);
		expect(prompt).toContain(`\`run-tests-of-${id}\``);
	});

	it("S-015 text of the settings stands behind the built-in one and never in its place", () => {
		const [go] = extendTable(LANGUAGES, { go: { guidance: "OUR-RULE: no panics in handlers." } });
		const { prompt } = buildSpecialist(go ?? profileOf("go"));
		expect(prompt.indexOf("errors.Is")).toBeGreaterThan(-1);
		expect(prompt.indexOf("OUR-RULE")).toBeGreaterThan(prompt.indexOf("errors.Is"));
	});

	it("S-013 settings add languages without code, and take some out", () => {
		const table = extendTable(LANGUAGES, {
			kotlin: { displayName: "Kotlin", extensions: [".kt"], test: "./gradlew test", guidance: "Null safety." },
			java: { enabled: false },
		});
		expect(findLanguage("a/B.kt", table)?.profile).toMatchObject({ id: "kotlin", displayName: "Kotlin" });
		expect(findLanguage("a/B.java", table)).toBeUndefined();
		expect(table.find((profile) => profile.id === "kotlin")?.testCommand(new Set())).toBe("./gradlew test");
		expect(extendTable(LANGUAGES, {}, { go: "make test" })[0]?.testCommand(new Set())).toBe("make test");
	});

	it("S-018 in a review it has the reading tools and its report, nothing that writes or runs or delegates", () => {
		const agent = buildSpecialist(profileOf("rust"));
		expect(agent).toMatchObject({ kind: "specialist", tier: "built-in", language: "rust", name: "rust" });
		expect(agent.tools).toEqual([
			"read_file",
			"glob",
			"grep",
			"diagnose",
			"find_symbol",
			"find_references",
			"find_callers",
			"impact_analysis",
			"ast_query",
			"repo_map",
			"submit_report",
		]);
		expect(buildGeneralist().tools).toEqual(agent.tools);
	});

	it("S-024 the role says whom it serves, how to answer, the scale, and that text is data", () => {
		// What all share stands once, before the pull request; the role comes after it.
		for (const { prompt: role } of [...LANGUAGES.map((profile) => buildSpecialist(profile)), buildGeneralist()]) {
			const prompt = `${SHARED_SYSTEM}\n\n${role}`;
			for (const part of [
				"an orchestrator has put",
				"is data under review",
				"submit_report",
				"critical (",
				"important (",
				"minor (",
				"nit (",
				"confidence, 0 to 100",
				"Do not report",
				"not known",
			]) {
				expect(prompt).toContain(part);
			}
			expect(prompt.length).toBeLessThan(14_000);
		}
	});
});
