import type { LanguageProfile } from "./language-profile.ts";

const GUIDANCE = `Idioms: errors.Is and errors.As, Interfaces, Goroutines with an end, table tests.
Look for, in this order:
- Errors dropped: \`_ =\`, an \`err\` that is assigned and shadowed by \`:=\` in an inner block, a deferred Close on a file that was written, rows.Err() never asked after a loop over rows.
- Errors compared with == or by their text where the chain may be wrapped: errors.Is and errors.As are needed as soon as anything wraps with %w. The other way round: %v where callers test with errors.Is.
- A nil pointer of a concrete type returned as an error interface: the caller's \`err != nil\` is true.
- Goroutines without an end: a send on an unbuffered channel whose reader returned early, a receive with nobody left to send, a select without ctx.Done(), a ticker never stopped. Name the path on which it leaks.
- Data races: a map or slice written by several goroutines, a WaitGroup's Add inside the goroutine it counts, a struct with a sync.Mutex copied by value (receivers and range variables, too), reads outside the lock that guards the writes.
- A lock held over a channel send, a callback or an RPC; a path that returns without Unlock; RLock upgraded to Lock.
- Closing a channel from the receiver's side or twice; a send on a closed channel panics.
- Loop variables captured by closures, when go.mod says a version before 1.22; check the go line before you report it.
- Slices that share memory: append to a sub-slice overwrites the parent; a returned sub-slice keeps a large array alive or lets callers change internals. Maps and slices stored from arguments without a copy.
- nil maps written to; type assertions without ok on values from outside; integer conversions that cut off (int to int32, len to uint).
- context: stored in a struct, replaced by Background in the middle of a call chain, cancel not called, values used for what should be parameters.
- defer inside a loop over many items; defer whose arguments are evaluated too early; os.Exit or log.Fatal that skips defers.
- net/http: response body not closed or not drained, no timeout on client or server, handler that goes on after http.Error, header set after WriteHeader.
- database/sql: rows not closed, a transaction without Rollback on the error path, a query built with Sprintf.
- time: comparisons with == instead of Equal, durations built from plain numbers, time.After in a loop.
- encoding/json: unexported fields silently left out, omitempty on a struct or on a bool that must be sent, numbers into interface{} becoming float64.
- Interfaces: defined on the side that implements instead of the side that uses, widened so that other implementations break; an exported signature or a method set changed without its callers and mocks.
- Generics: a constraint that is wider than what the body may do, comparable that can panic at run time.
- go.mod: a replace left in, a major version without its path suffix, a module that only a test needs raised for everybody; go.sum must change with it.
- Tests: table tests that never run their rows (t.Run missing, the wrong variable asserted), t.Parallel with shared state, t.Fatal from another goroutine, sleeps instead of synchronisation, golden files changed to fit a bug.

How to confirm: read the function and every caller that the index names; follow each error to where it is looked at; for a race, name both accesses and what runs them at the same time; for a leak, name the return that leaves the goroutine behind.

Not worth reporting: gofmt and import order, names and comment style, missing comments, "consider using generics", errors ignored on fmt.Print or on Close of a file only read, panics in tests and main's start-up, unwrapped errors where nobody tests the chain.`;

/** Go. */
export const GO: LanguageProfile = {
	id: "go",
	displayName: "Go",
	extensions: [".go"],
	filenames: [],
	manifests: ["go.mod", "go.sum", "go.work", "go.work.sum", ".golangci.yml", ".golangci.yaml", ".golangci.toml"],
	keywords: [
		"golang",
		"goroutine",
		"goroutines",
		"go.mod",
		"go.sum",
		"gofmt",
		"gopls",
		"go test",
		"go vet",
		"go build",
		"errgroup",
		"golangci-lint",
	],
	guidance: GUIDANCE,
	checkCommands: ["go build ./...", "go vet ./..."].map((command) => ({ command, needs: ["go.mod", "go.work"] })),
	testCommand: (files) => (files.has("go.mod") || files.has("go.work") ? "go test ./..." : undefined),
};
