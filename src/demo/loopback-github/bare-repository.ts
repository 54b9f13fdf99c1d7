import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runGit } from "./git-command.ts";

/**
 * Refuses pushes to protected branches with GitHub's GH006 text, and pushes that touch workflow files by a token
 * without the `workflows` permission (BR-50). Runs inside `git receive-pack`; `LOOPBACK_WORKFLOWS` comes from the server.
 */
const UPDATE_HOOK = `#!/bin/sh
ref="$1"; old="$2"; new="$3"
zero=0000000000000000000000000000000000000000
if grep -qxF "$ref" "$GIT_DIR/protected-refs" 2>/dev/null; then
	echo "error: GH006: Protected branch update failed for $ref."
	echo ""
	echo "- Changes must be made through a pull request."
	exit 1
fi
if [ "$LOOPBACK_WORKFLOWS" = no ] && [ "$new" != "$zero" ]; then
	file=$(git log --format= --name-only "$new" --not --branches -- .github/workflows | head -n 1)
	if [ -n "$file" ]; then
		echo "refusing to allow a GitHub App to create or update workflow \\\`$file\\\` without \\\`workflows\\\` permission"
		exit 1
	fi
fi
exit 0
`;

/** Makes an empty bare repository that serves shallow, partial and by-SHA fetches, as GitHub does. */
export async function createBareRepository(bare: string, defaultBranch: string): Promise<void> {
	await mkdir(bare, { recursive: true });
	await runGit(bare, ["init", "--quiet", "--bare", `--initial-branch=${defaultBranch}`]);
	const settings = [
		["http.receivepack", "true"],
		["uploadpack.allowFilter", "true"],
		["uploadpack.allowAnySHA1InWant", "true"],
		["receive.hideRefs", "refs/pull"],
		["core.logAllRefUpdates", "false"],
		["core.quotePath", "true"],
		["diff.renameLimit", "1000"],
	];
	const lines = settings.map(([key, value]) => {
		const [section, name] = (key ?? "").split(".");
		return `[${section}]\n\t${name} = ${value}\n`;
	});
	await writeFile(join(bare, "config"), `[core]\n\trepositoryformatversion = 0\n\tbare = true\n${lines.join("")}`);
	await mkdir(join(bare, "hooks"), { recursive: true });
	const hook = join(bare, "hooks", "update");
	await writeFile(hook, UPDATE_HOOK);
	await chmod(hook, 0o755);
}

/** Writes the list the hook reads; full ref names, one a line. */
export async function writeProtectedBranches(bare: string, branches: Iterable<string>): Promise<void> {
	await writeFile(join(bare, "protected-refs"), [...branches].map((branch) => `refs/heads/${branch}\n`).join(""));
}
