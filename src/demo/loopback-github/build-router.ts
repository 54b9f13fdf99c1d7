import type { ContractOperation } from "./loopback-types.ts";

interface Route {
	readonly operation: ContractOperation;
	readonly parameters: Readonly<Record<string, string>>;
}

export type Router = (method: string, path: string) => Route | undefined;

/** Parameters that may hold slashes (`contents/a/b.txt`, `git/ref/heads/feature/x`, `compare/main...feature/x`). */
const MULTI_SEGMENT = new Set(["path", "ref", "basehead", "branch"]);

interface CompiledTemplate {
	readonly operation: ContractOperation;
	readonly pattern: RegExp;
	readonly names: readonly string[];
	readonly literals: number;
	readonly multi: number;
}

function compileTemplate(operation: ContractOperation): CompiledTemplate {
	const names: string[] = [];
	let literals = 0;
	let multi = 0;
	const source = operation.path
		.split("/")
		.slice(1)
		.map((segment) => {
			const name = /^\{(.+)\}$/.exec(segment)?.[1];
			if (name === undefined) {
				literals += 1;
				return segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
			}
			names.push(name);
			if (!MULTI_SEGMENT.has(name)) return "([^/]+)";
			multi += 1;
			return "(.+)";
		})
		.join("/")
		// The root folder is `contents/` or `contents` with an empty path.
		.replace(/contents\/\(\.\+\)$/, "contents(?:/(.*))?");
	return { operation, pattern: new RegExp(`^/${source}$`), names, literals, multi };
}

function decode(value: string): string {
	try {
		return decodeURIComponent(value);
	} catch {
		return value;
	}
}

/**
 * Finds the operation of a request among path templates. Templates with more literal segments win, then those
 * without multi-segment parameters, so `commits/{ref}/check-runs` is not taken for a `commits/{ref}`.
 */
export function buildRouter(operations: readonly ContractOperation[]): Router {
	const templates = operations.map(compileTemplate).sort((a, b) => b.literals - a.literals || a.multi - b.multi);
	const byMethod = new Map<string, CompiledTemplate[]>();
	for (const template of templates) {
		const list = byMethod.get(template.operation.method) ?? [];
		list.push(template);
		byMethod.set(template.operation.method, list);
	}
	return (method, path) => {
		for (const template of byMethod.get(method) ?? []) {
			const match = template.pattern.exec(path);
			if (match === null) continue;
			const parameters = Object.fromEntries(template.names.map((name, index) => [name, decode(match[index + 1] ?? "")]));
			return { operation: template.operation, parameters };
		}
		return undefined;
	};
}
