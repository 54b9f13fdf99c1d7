import { describe, expect, it } from "vitest";
import { BUILT_IN_LANGUAGES, extendTable, findLanguage, FURTHER_LANGUAGES, LANGUAGES } from "../../../src/agents/experts/table.ts";
import { GUIDANCE_CHARS, selectGuidance } from "../../../src/agents/select-guidance.ts";
import { buildSpecialist } from "../../../src/agents/specialist-prompt.ts";
import { inferLanguage } from "../../../src/plan/infer-language.ts";

const idOf = (path: string): string | undefined => findLanguage(path, BUILT_IN_LANGUAGES)?.profile.id;
const commandOf = (id: string, ...files: string[]): string | undefined =>
	BUILT_IN_LANGUAGES.find((profile) => profile.id === id)?.testCommand(new Set(files));

/** A line that real reviews of the language find wrong, and a word of the guidance that has to reach the specialist for it. */
const SAMPLES: Readonly<Record<string, readonly [change: string, word: string]>> = {
	cpp: ["std::string_view name = make().name(); memcpy(buffer, source, size);", "memcpy"],
	csharp: ["public async void Save() { client.Send(item).Wait(); }", "async void"],
	ruby: ["def index; @users = User.where('name = #{params[:q]}'); rescue => e; end", "rescue"],
	php: ["$user = json_decode($text); if (in_array($x, $list)) { echo $user; }", "in_array"],
	kotlin: ["GlobalScope.launch { repository.load()!! }", "GlobalScope"],
	swift: ["Task { self.view.text = try! load() }", "try!"],
	shell: ['for x in $(ls); do cd $x; rm -rf "$DIR/"; done', "rm"],
	sql: ["ALTER TABLE users ALTER COLUMN id TYPE bigint; CREATE INDEX i ON users (name);", "CREATE INDEX"],
	terraform: ['resource "aws_iam_policy" "p" { policy = jsonencode({ Action = "*" }) } count = 2', "count"],
	"github-actions": [
		`on: pull_request_target\njobs: { a: { steps: [ { run: echo $\{{ github.event.pull_request.title }} } ] } }`,
		"github.event",
	],
};

describe("the further languages", () => {
	it("S-013 ten more stand behind the five, which keep what is theirs", () => {
		expect(FURTHER_LANGUAGES.map((profile) => profile.id)).toEqual(Object.keys(SAMPLES));
		expect(BUILT_IN_LANGUAGES.slice(0, 5)).toEqual(LANGUAGES);
		for (const key of ["extensions", "filenames", "manifests"] as const) {
			const all = BUILT_IN_LANGUAGES.flatMap((profile) => profile[key]);
			expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
		}
		expect(idOf("build.gradle.kts")).toBe("java");
	});

	it.each([
		["src/a.h", "cpp"],
		["CMakeLists.txt", "cpp"],
		["Web/Pages/Index.cshtml", "csharp"],
		["App/App.csproj", "csharp"],
		["app/models/user.rb", "ruby"],
		["Gemfile", "ruby"],
		["resources/views/a.blade.php", "php"],
		["composer.json", "php"],
		["app/src/Main.kt", "kotlin"],
		["Sources/A.swift", "swift"],
		["scripts/run.sh", "shell"],
		["db/migrate/001.sql", "sql"],
		["infra/main.tf", "terraform"],
		["infra/prod.tfvars.json", "terraform"],
		[".github/workflows/ci.yml", "github-actions"],
		["actions/setup/action.yaml", "github-actions"],
		["docs/workflows/ci.yml", undefined],
		[".github/workflows/nested/x.yml", undefined],
		[".github/dependabot.yml", undefined],
		["Dockerfile", undefined],
	])("%s is of %s", (path, id) => {
		expect(idOf(path)).toBe(id);
	});

	it("S-014 D-07 each has one test command by what is there, and none where nothing tells", () => {
		expect(commandOf("cpp", "CMakeLists.txt")).toMatch(/^ctest --build-and-test/);
		expect(commandOf("csharp", "App.sln")).toBe("dotnet test --nologo");
		expect(commandOf("ruby", "Gemfile", "spec/a_spec.rb", "Rakefile")).toBe("bundle exec rspec");
		expect(commandOf("ruby", "Gemfile", "bin/rails", "test/models/a_test.rb")).toBe("bin/rails test");
		expect(commandOf("php", "composer.json", "phpunit.xml.dist")).toBe("vendor/bin/phpunit");
		expect(commandOf("kotlin", "gradlew", "build.gradle.kts")).toBe("./gradlew test");
		expect(commandOf("swift", "Package.swift")).toBe("swift test");
		expect(commandOf("shell", "test/a.bats")).toBe("bats --recursive test");
		expect(commandOf("terraform", "main.tftest.hcl")).toBe("terraform test");
		for (const profile of FURTHER_LANGUAGES) expect(profile.testCommand(new Set(["README.md"]))).toBeUndefined();
	});

	it.each(Object.entries(SAMPLES))(
		"S-015 the %s specialist is told what bears on a typical fault, within its share of the brief",
		(id, [change, word]) => {
			const profile = BUILT_IN_LANGUAGES.find((each) => each.id === id);
			if (profile === undefined) throw new Error(id);
			expect(profile.guidance).toMatch(/^Idioms: [^\n]+\nLook for, in this order:\n- /);
			expect(profile.guidance).toContain("\n\nHow to confirm: ");
			expect(profile.guidance).toContain("\n\nNot worth reporting: ");
			const told = selectGuidance(profile.guidance, change);
			expect(told).toContain(word);
			// At least one line for the change beside the parts that always stay.
			expect(told.split("\n").filter((line) => line.startsWith("- ")).length).toBeGreaterThan(0);
			expect(told.length).toBeLessThan(GUIDANCE_CHARS * 1.6);
			expect(buildSpecialist(profile).prompt.length).toBeLessThan(14_000);
		},
	);

	it("S-013 a file of the trusted ref adds to a further language as to the five, and can take it out", () => {
		const table = extendTable(BUILT_IN_LANGUAGES, { kotlin: { guidance: "OURS", extensions: [".kexe"] }, sql: { enabled: false } });
		const kotlin = table.find((profile) => profile.id === "kotlin");
		expect(kotlin).toMatchObject({ addedGuidance: "OURS" });
		expect(kotlin?.guidance).toContain("GlobalScope");
		expect(findLanguage("a.kexe", table)?.profile.id).toBe("kotlin");
		expect(findLanguage("a.sql", table)).toBeUndefined();
	});

	it.each([
		["rspec fails on CI", "ruby"],
		["the csproj has a wrong target", "csharp"],
		["shellcheck complains", "shell"],
		["a pull_request_target that checks out the head", "github-actions"],
		["swift action is needed to go on with the composer", undefined],
		["the union of all parties, selected from a table", undefined],
	])("D-05 names in a task: %s", (task, id) => {
		const inferred = inferLanguage({ task, files: [] }, BUILT_IN_LANGUAGES);
		expect(inferred.kind === "languages" ? inferred.choices[0]?.profile.id : undefined).toBe(id);
	});
});
