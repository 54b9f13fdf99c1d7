import type { LanguageProfile } from "./language-profile.ts";

const GUIDANCE = `Idioms: Ownership, Result and Option with \`?\`, Traits, workspaces, unit tests and integration tests.
Look for, in this order:
- Panics on paths that input can reach: unwrap, expect, indexing, slicing a str off a character border, RefCell borrowed twice, integer division by zero, \`as\` conversions that cut off or change sign, arithmetic that overflows in release without a word.
- Result and Option handling: an error turned into a default with unwrap_or_default or .ok(), \`let _ =\` on a Result, \`?\` that loses the context a caller needs, From conversions that make different failures equal, an early return by \`?\` that leaves half-done state behind.
- Ownership: a clone that hides a design fault in a hot path, Rc or Arc cycles, a lock guard kept alive by a temporary in a match or if-let until the end of the statement, mem::take that leaves a default which is then used.
- Lifetimes and borrowing in public interfaces: a signature that borrows longer than needed, returns a reference to something the caller cannot keep, or changes from &str to String in one place only.
- unsafe: which invariant makes it sound, is it written down, and can safe code break it? Look at transmute, from_raw_parts, set_len before writing, unchecked gets, Send or Sync implemented by hand, FFI strings without a NUL, a panic that crosses FFI.
- Concurrency: std::sync::Mutex guard held over .await, blocking calls inside async tasks, spawned tasks whose handle is dropped so that errors vanish, select! that drops a future which is not safe to cancel, channel without bound, Ordering::Relaxed where another thread reads data behind the flag.
- Traits: Hash and Eq that disagree, Ord that is no total order (floats), Drop that can panic, Deref used for inheritance, a blanket impl that changes which method is called, a new required method or a removed derive in a public trait or type.
- Iterators: lazy adapters that are never consumed, zip that cuts silently, collect into a map that loses repeated keys, filter_map that hides errors.
- Matches: a wildcard arm that swallows a new variant; a public enum without non_exhaustive that gains one.
- Strings and paths: byte length taken for character count, to_string_lossy in something that is written back, path joined with an absolute part from outside.
- serde: a field renamed or made required without default, untagged enums that match the wrong variant, deny_unknown_fields added to a format in use.
- Features and workspaces: code behind cfg that no longer compiles with the feature off, a feature that takes something away, versions that differ between members of a workspace, a dependency with default features that pull in much, a Cargo.toml whose lock file did not follow.
- Public API of a published crate: removed or changed items, new bounds on generics, a type that stops being Send; say that it needs a major version.
- Tests: unit tests next to the code and integration tests in tests/ for what changed; should_panic without expected, tests that ignore their Result, doc tests that no longer compile, ignored tests.

How to confirm: name the input that reaches the panic and check the callers for an earlier guard; for unsafe, quote the invariant and the line that breaks it; for a guard over .await, name the type of the mutex; for API changes, look for the item in lib.rs and its re-exports.

Not worth reporting: rustfmt, clippy's style and pedantic groups, unwrap in tests, examples and build scripts, expect with a reason that holds, clones outside of hot paths, "could use an iterator", missing docs.`;

/** Rust. */
export const RUST: LanguageProfile = {
	id: "rust",
	displayName: "Rust",
	extensions: [".rs"],
	filenames: [],
	manifests: [
		"Cargo.toml",
		"Cargo.lock",
		"rust-toolchain",
		"rust-toolchain.toml",
		"rustfmt.toml",
		".rustfmt.toml",
		"clippy.toml",
		".clippy.toml",
	],
	keywords: ["rustc", "cargo", "cargo.toml", "clippy", "rustfmt", "borrow checker", "tokio", "serde", "rustlang"],
	guidance: GUIDANCE,
	checkCommands: ["cargo check --all-targets", "cargo clippy --all-targets"].map((command) => ({ command, needs: ["Cargo.toml"] })),
	testCommand: (files) => (files.has("Cargo.toml") ? "cargo test" : undefined),
};
