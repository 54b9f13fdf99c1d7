import type { KnownType } from "../known-types.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Members of the class library's containers that give one of what is in them. */
const ELEMENTS = words(
	"get getFirst getLast next previous first last poll pollFirst pollLast peek peekFirst peekLast element pop remove removeFirst removeLast take orElse orElseGet orElseThrow join call getNow getAndSet ceiling floor higher lower set getIfAvailable getObject getIfUnique getPlain getAcquire",
);
/** Members that give the same container, or another one of the same elements. */
const CONTAINERS = words(
	"iterator listIterator stream parallelStream filter sorted distinct limit skip takeWhile dropWhile subList reversed tailSet headSet subSet descendingIterator descendingSet findFirst findAny min max parallel sequential toList or orderedStream",
);
const MAP_VALUES = words("get getOrDefault put remove computeIfAbsent computeIfPresent merge putIfAbsent compute replace getValue");
const PLAIN = words(
	"size isEmpty contains containsKey containsValue toString hashCode equals length indexOf isPresent hasNext count add addAll getName",
);

const OUTSIDE: KnownType = { k: "external", name: "java.lang.Object", args: [] };

/** What a member of a type from outside with type arguments gives; undefined when that is not known. */
export function findLibraryMember(of: KnownType, name: string): KnownType | undefined {
	if (of.k !== "external" || of.args.length === 0 || name === "") return undefined;
	const result = PLAIN.has(name) ? OUTSIDE : of.args.length === 1 ? fromContainer(of, of.args[0], name) : fromPair(of.args, name);
	return result === undefined ? undefined : { k: "function", result };
}

function fromContainer(of: KnownType, element: KnownType | undefined, name: string): KnownType | undefined {
	if (ELEMENTS.has(name)) return element;
	return CONTAINERS.has(name) ? of : undefined;
}

function fromPair([key, value]: readonly (KnownType | undefined)[], name: string): KnownType | undefined {
	if (MAP_VALUES.has(name)) return value;
	if (name === "getKey" || name === "firstKey" || name === "lastKey") return key;
	if (name === "keySet") return { k: "list", of: key };
	if (name === "values") return { k: "list", of: value };
	if (name === "entrySet") return { k: "list", of: { k: "external", name: "Map.Entry", args: [key, value] } };
	return name === "apply" ? value : undefined;
}
