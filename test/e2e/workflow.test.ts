import { execFile } from "node:child_process";
import { access, mkdir, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ACTION_FOLDER, git, REPOSITORY, startScene, TOKEN } from "./start-scene.ts";

const run = promisify(execFile);
const GO =
	"package parcels\n\n// Weight adds up.\nfunc Weight(items []int) int {\n\ttotal := 0\n\tfor _, item := range items {\n\t\ttotal += item\n\t}\n\treturn total\n}\n";

/** `act` runs a workflow file without GitHub; from the PATH or from Go's folder for programs. */
async function findAct(): Promise<string | undefined> {
	const folders = [...(process.env["PATH"] ?? "").split(path.delimiter), path.join(os.homedir(), "go", "bin")];
	for (const folder of folders) {
		const file = path.join(folder, "act");
		if (
			await access(file).then(
				() => true,
				() => false,
			)
		)
			return file;
	}
	return undefined;
}

async function readExample(): Promise<string> {
	const readme = await readFile(path.join(ACTION_FOLDER, "README.md"), "utf8");
	const example = /<!-- example: review -->\s*```yaml\n([\s\S]*?)```/.exec(readme)?.[1];
	if (example === undefined) throw new Error("the README has no example of a review workflow");
	return example;
}

const act = await findAct();
if (act === undefined && process.env["CI"] === undefined)
	console.warn("act is not here: the README's workflow is not run; go install github.com/nektos/act");

it.skipIf(act === undefined && process.env["CI"] === undefined)(
	"the README's own workflow reviews a pull request",
	async () => {
		expect(act, "act must be there in CI").toBeDefined();
		await using scene = await startScene({
			base: { "weight.go": GO },
			head: { "weight.go": GO.replace("\treturn total\n}", "\treturn total\n") },
		});
		const home = path.join(scene.folder, "home");
		const event = path.join(scene.folder, "event.json");
		await mkdir(path.join(scene.workspace, ".github", "workflows"), { recursive: true });
		await mkdir(home);
		await writeFile(path.join(scene.workspace, ".github", "workflows", "review.yml"), await readExample());
		await writeFile(event, JSON.stringify(await scene.github.pullRequestPayload(scene.number, "opened")));
		const facts = {
			GITHUB_API_URL: scene.github.url,
			GITHUB_SERVER_URL: scene.github.serverUrl,
			GITHUB_GRAPHQL_URL: scene.github.graphqlUrl,
			GITHUB_REPOSITORY: REPOSITORY,
			GITHUB_SHA: scene.head,
			GITHUB_REF: `refs/pull/${scene.number}/merge`,
			GITHUB_ACTOR: "author",
		};
		const { stdout } = await run(
			act ?? "act",
			[
				"pull_request",
				...["-P", "ubuntu-latest=-self-hosted", "-e", event, "-a", "author"],
				...["--local-repository", `rookery/rookery@v0.1.0=${ACTION_FOLDER}`, "-s", `GITHUB_TOKEN=${TOKEN}`],
				...Object.entries(facts).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
			],
			{
				cwd: scene.workspace,
				env: { PATH: process.env["PATH"] ?? "", HOME: home, XDG_CACHE_HOME: path.join(home, ".cache") },
				maxBuffer: 16 * 1024 * 1024,
			},
		).catch((error: { stdout?: string; stderr?: string }) => {
			throw new Error(`act failed:\n${error.stdout ?? ""}\n${error.stderr ?? String(error)}`);
		});
		expect(stdout).toContain("Job succeeded");
		expect(scene.sticky()).toContain("File no longer parses");
		expect(scene.github.reviews(scene.number)).toHaveLength(1);
		expect(scene.github.checks(scene.head)).toHaveLength(1);
		expect(scene.github.violations).toEqual([]);
		expect(await git(scene.workspace, "rev-parse", "HEAD")).toBe(scene.head);
	},
	120_000,
);
