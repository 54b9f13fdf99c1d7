/** Files that package managers write and that decide what is installed. */
const LOCK_FILES: ReadonlySet<string> = new Set([
	"package-lock.json",
	"npm-shrinkwrap.json",
	"yarn.lock",
	"pnpm-lock.yaml",
	"bun.lock",
	"bun.lockb",
	"deno.lock",
	"cargo.lock",
	"go.sum",
	"go.work.sum",
	"poetry.lock",
	"uv.lock",
	"pdm.lock",
	"pipfile.lock",
	"gemfile.lock",
	"composer.lock",
	"gradle.lockfile",
	"packages.lock.json",
	"package.resolved",
	"podfile.lock",
	"mix.lock",
	"pubspec.lock",
	"flake.lock",
	".terraform.lock.hcl",
]);

/** By the file's name, in any folder and without regard to case. */
export function isLockFile(path: string): boolean {
	return LOCK_FILES.has(path.slice(path.lastIndexOf("/") + 1).toLowerCase());
}
