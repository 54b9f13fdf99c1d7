/**
 * Name by which an import path is probably known: its last element without a version (`example.org/a/v2` is `a`,
 * `gopkg.in/yaml.v3` is `yaml`) or the usual decoration (`go-redis`, `nats.go`).
 */
export function guessPackageName(module: string): string {
	const parts = module.split("/");
	let last = parts.pop() ?? module;
	if (/^v\d+$/.test(last) && parts.length > 0) last = parts.pop() ?? last;
	return last
		.replace(/\.v\d+$/, "")
		.replace(/^go[-.]|[-.]go$/, "")
		.replaceAll("-", "_");
}
