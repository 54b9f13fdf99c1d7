import { definitionAround } from "../../facts/scope-lookup.ts";
import { splitTop } from "../split-top.ts";
import { EXTERNAL, type Place, type TypeContext, type Values } from "../values.ts";

const SEQUENCES =
	/^(?:list|List|set|Set|frozenset|FrozenSet|Sequence|MutableSequence|Iterable|Iterator|Collection|AbstractSet|AsyncIterator|AsyncIterable|Generator|AsyncGenerator|Deque|deque)$/;
const MAPS = /^(?:dict|Dict|Mapping|MutableMapping|DefaultDict|defaultdict|OrderedDict)$/;
const SAME = /^(?:Optional|ClassVar|Final|Annotated|Required|NotRequired|ReadOnly)$/;
const PLAIN = /^(?:str|int|float|bool|bytes|bytearray|complex|object|None|Literal)$/;
const ANY = /^(?:Any|NoReturn|Never|TypeVar)$/;

/** What values of a written type are; empty when it cannot be said. */
export function readType(text: string, place: Place, context: TypeContext, depth: number): Values {
	if (depth > 12 || text.endsWith("…")) return [];
	const plain = text.trim().replace(/^["']|["']$/g, "");
	const parts = splitTop(plain, "|").filter((part) => part !== "None" && part !== "");
	if (parts.length > 1) return unite(parts, place, context, depth);
	const part = parts[0] ?? "None";
	const generic = /^([\p{L}\p{N}_.]+)\[(.*)\]$/su.exec(part);
	const name = (generic?.[1] ?? part).split(".").at(-1) ?? "";
	if (PLAIN.test(name)) return EXTERNAL;
	if (ANY.test(name)) return [];
	if (name === "Self") return ownClass(place, context);
	if (generic?.[1] !== undefined && generic[2] !== undefined) {
		const given = splitTop(generic[2], ",");
		const of = (index: number): Values => context.readType(given[index] ?? "", place, depth + 1);
		if (SEQUENCES.test(name)) return [{ kind: "sequence", of: of(0) }];
		if (MAPS.test(name)) return [{ kind: "sequence", of: of(1) }];
		if (SAME.test(name)) return of(0);
		if (name === "Union")
			return unite(
				given.filter((each) => each !== "None"),
				place,
				context,
				depth,
			);
		if (name === "Awaitable" || name === "Coroutine") return [{ kind: "promise", of: of(given.length - 1) }];
		if (name === "Callable") return [{ kind: "gives", of: of(given.length - 1) }];
		if (name === "Type" || name === "type")
			return of(0).map((value) => (value.kind === "instance" ? { kind: "class", ref: value.ref } : value));
	}
	return context.evaluateText(generic?.[1] ?? part, place, depth + 1).flatMap((value): Values => {
		if (value.kind === "class") return [{ kind: "instance", ref: value.ref }];
		return value.kind === "external" ? EXTERNAL : [];
	});
}

function unite(parts: readonly string[], place: Place, context: TypeContext, depth: number): Values {
	const each = parts.map((part) => context.readType(part, place, depth + 1));
	// One part that nobody knows leaves the whole open.
	if (each.some((values) => values.length === 0)) return [];
	const known = each.flat();
	const own = known.filter((value) => value.kind !== "external");
	return own.length > 0 ? own : known.slice(0, 1);
}

function ownClass(place: Place, context: TypeContext): Values {
	const facts = context.facts(place.path);
	const owner = facts === undefined ? undefined : definitionAround(facts, place.index, (definition) => definition.kind === "class");
	return owner === undefined ? [] : [{ kind: "instance", ref: { path: place.path, definition: owner } }];
}
