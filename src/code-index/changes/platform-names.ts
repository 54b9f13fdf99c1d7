import type { GrammarId } from "../grammars.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const BROWSER = words(`
	window document location history navigator screen name status event parent top self opener origin frames length closed
	alert confirm prompt open close stop find print focus blur scroll localStorage sessionStorage indexedDB caches chrome browser
	XMLHttpRequest Worker SharedWorker Image Audio Option Node Element HTMLElement SVGElement DOMParser MutationObserver
	ResizeObserver IntersectionObserver CustomEvent FileReader requestAnimationFrame cancelAnimationFrame requestIdleCallback
	getComputedStyle matchMedia customElements importScripts postMessage require module exports __dirname __filename define
	describe it test expect beforeEach afterEach beforeAll afterAll vi jest Bun Deno JSX React NodeJS arguments`);

const PYTHON = words(`
	abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir
	divmod enumerate eval exec filter float format frozenset getattr globals hasattr hash help hex id input int isinstance
	issubclass iter len list locals map max memoryview min next object oct open ord pow print property range repr reversed round
	set setattr slice sorted staticmethod str sum super tuple type vars zip __import__ __name__ __file__ __doc__ __builtins__
	Exception BaseException ValueError TypeError KeyError IndexError AttributeError RuntimeError OSError IOError ImportError
	ModuleNotFoundError NotImplementedError NotImplemented StopIteration KeyboardInterrupt SystemExit Warning DeprecationWarning
	UserWarning FutureWarning UnicodeDecodeError UnicodeEncodeError UnicodeError TimeoutError FileNotFoundError FileExistsError
	PermissionError ConnectionError ExceptionGroup AssertionError ZeroDivisionError ArithmeticError LookupError NameError
	unicode basestring long xrange raw_input unichr reduce reload cmp Ellipsis`);

const GO = words(`
	any append bool byte cap clear close comparable complex complex64 complex128 copy delete error false float32 float64 imag int
	int8 int16 int32 int64 iota len make max min new nil panic print println real recover rune string true uint uint8 uint16
	uint32 uint64 uintptr`);

const RUST = words(`
	Option Some None Result Ok Err Box String Vec ToString ToOwned Clone Copy Send Sync Sized Drop Fn FnMut FnOnce Iterator Extend
	IntoIterator DoubleEndedIterator ExactSizeIterator Default PartialEq Eq PartialOrd Ord AsRef AsMut Into From TryFrom TryInto
	FromIterator drop Self self`);

/** Names that a language or its platform gives every file: with a definition of their own gone, they still mean something. */
export function isPlatformName(name: string, grammar: GrammarId): boolean {
	switch (grammar) {
		case "javascript":
		case "typescript":
		case "tsx":
			return name in globalThis || BROWSER.has(name);
		case "python":
			return PYTHON.has(name);
		case "go":
			return GO.has(name);
		case "rust":
			return RUST.has(name);
		case "java":
			// Everything in java.lang; a class of that package is seldom anything else than capitalised.
			return /^(Object|String|Integer|Long|Short|Byte|Double|Float|Boolean|Character|Number|Math|System|Thread|Runnable|Class|Enum|Record|Iterable|Comparable|Override|Deprecated|SafeVarargs|FunctionalInterface|SuppressWarnings|Process|Runtime|StringBuilder|StringBuffer|Void|Module|Package|Throwable|Error|\w*Exception|\w*Error)$/.test(
				name,
			);
	}
}
