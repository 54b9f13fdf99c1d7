import type { KnownType } from "../known-types.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Types of the standard library whose members are those of what they hold. */
const WRAPPERS = words(
	"Arc Rc Box Pin Cow ManuallyDrop Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard LazyLock OnceLock Weak CachePadded UnsafeCell Cell NonNull",
);
const SAME = words(
	"clone iter iter_mut into_iter as_ref as_mut as_deref as_deref_mut as_pin_mut take replace filter rev skip step_by chain peekable cloned copied by_ref drain or or_else ok to_owned as_slice as_mut_slice inspect err map_err context with_context retain get_pin_mut",
);
const HELD = words(
	"unwrap expect unwrap_or unwrap_or_else unwrap_or_default unwrap_unchecked get_or_insert_with insert into_inner borrow borrow_mut get_mut as_ptr upgrade downgrade",
);
const OPTIONAL = words(
	"get get_mut first first_mut last last_mut pop pop_front pop_back front front_mut back back_mut next next_back peek peek_mut remove nth find max min max_by_key min_by_key get_ref upgrade",
);
const LOCKS = words("lock read write try_lock try_read try_write");

const lastOf = (name: string): string => name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf(":")) + 1);

/** What a wrapper holds; undefined for a type that is none. */
export function heldBy(type: KnownType): KnownType | undefined {
	return type.k === "external" && WRAPPERS.has(lastOf(type.name)) ? type.args[0] : undefined;
}

/** What a call of a method of the standard library gives; undefined when that is not known. */
export function findRustLibraryMember(of: KnownType, name: string): KnownType | undefined {
	if (of.k === "list") return SAME.has(name) ? returning(of) : OPTIONAL.has(name) ? returning(optional(of.of)) : undefined;
	if (of.k !== "external" || of.args.length === 0 || name === "") return undefined;
	if (SAME.has(name)) return returning(of);
	const type = lastOf(of.name);
	const element = type === "HashMap" || type === "BTreeMap" || type === "IndexMap" ? of.args[1] : of.args[0];
	if (LOCKS.has(name)) return returning(optional(element));
	const isOptional = type === "Option" || type === "Result";
	if (HELD.has(name) && (isOptional || !OPTIONAL.has(name))) return returning(element);
	return OPTIONAL.has(name) ? returning(optional(element)) : undefined;
}

function returning(result: KnownType | undefined): KnownType | undefined {
	return result === undefined ? undefined : { k: "function", result };
}

function optional(of: KnownType | undefined): KnownType {
	return { k: "external", name: "Option", args: [of] };
}
