import type { LanguageProfile } from "../language-profile.ts";

const GUIDANCE = `Idioms: nullable reference types, async to the end, IDisposable with using, records, pattern matching, dependency injection, xUnit or NUnit.
Look for, in this order:
- Nullability: \`!\` and default! that silence a true warning, a nullable value from a dictionary, FirstOrDefault, configuration or JSON used unchecked, #nullable disable, Nullable<T>.Value without HasValue.
- async: async void outside event handlers, .Result, .Wait() or GetAwaiter().GetResult() on a request thread or UI thread, a Task neither awaited nor kept, a CancellationToken taken and not passed on, ConfigureAwait missing in a library, Task.Run around I/O, a using whose body returns the task and disposes too early.
- Disposal: HttpResponseMessage, streams, readers, DbContext, timers and CancellationTokenSource left open; HttpClient made for each call; an event subscription that keeps its owner alive; IAsyncDisposable disposed synchronously.
- LINQ: a query enumerated twice (and so run twice), deferred execution after the source is disposed or changed, Single where several can match, Count() where Any() is meant on something costly, OrderBy that loses an earlier order, a closure over a changing variable.
- Entity Framework: N+1 queries through lazy loading or a loop, AsNoTracking on what is saved later, client-side evaluation, a tracked entity shared by requests, SaveChanges in a loop, raw SQL by interpolation into FromSqlRaw, a migration that drops or rewrites data or locks a large table, concurrency tokens ignored.
- Dependency injection: a scoped service captured by a singleton, a transient IDisposable resolved from the root, a registration that replaces another, options read once and never again, HttpContext used off its request.
- Exceptions: throw ex that loses the stack, catch (Exception) that turns failure into success, exceptions in finally or Dispose, AggregateException unwrapped wrongly, OperationCanceledException logged as an error or swallowed.
- Equality: records with collections (by reference), Equals without GetHashCode, mutable keys in a Dictionary or HashSet, == on object typed values, string comparison without StringComparison, culture-dependent parsing and formatting of numbers and dates.
- Structs: a large or mutable struct copied on access, a defensive copy of readonly fields, default(T) that breaks invariants, Span or ref struct kept over await, boxing in a hot path.
- Threads: a collection shared without a lock or Concurrent type, check-then-act on ConcurrentDictionary, lock on this, a string or a boxed value, await inside lock rewritten to a race, SemaphoreSlim released without being taken, static state in a web application, double dispatch to the UI thread.
- Numbers and time: int arithmetic that overflows unchecked, integer division, money in double, DateTime with unspecified kind, Now stored instead of UTC, TimeSpan.Hours for TotalHours.
- ASP.NET: an endpoint without [Authorize] that its siblings have, binding to an entity (over-posting), model state never looked at, antiforgery off, CORS any with credentials, middleware in the wrong order, status codes that turn errors into 200, unbounded request bodies.
- Security: SQL, LDAP, process arguments or paths by joining input, BinaryFormatter and TypeNameHandling, XML with DTDs, Html.Raw, weak random for tokens, certificates accepted by a callback that returns true, secrets in appsettings.
- Serialisation: System.Text.Json against Newtonsoft (case, enums, fields, constructors), a property renamed in a stored or sent type, polymorphism without a discriminator, cycles.
- Patterns: a switch expression without the new case, a type pattern shadowed by an earlier one, \`is not null and\` precedence, with-expressions that share inner collections.
- Interop and unsafe: handles without SafeHandle, a delegate passed to native code and collected, StringBuilder sizes, pinning left out.
- Projects: a package in the wrong project or without PrivateAssets, versions against Directory.Packages.props, a target framework dropped for dependents, InternalsVisibleTo, warnings as errors switched off, trimming or AOT with reflection.
- Tests: async tests that return void, Assert.Throws without await on async code, shared fixtures with state, Moq setups that match nothing, theory rows that never vary.

How to confirm: read the declaration with its nullable annotations and the project's Nullable setting; follow the task to who awaits it; find the registration of a service for its lifetime; check the target framework before you speak of newer syntax.

Not worth reporting: formatting, var, naming, usings order, expression bodies, missing XML comments, "use a record", sealed by taste, ConfigureAwait in application code, analyzers' style rules.`;

/** C#. */
export const CSHARP: LanguageProfile = {
	id: "csharp",
	displayName: "C#",
	extensions: [".cs", ".csx", ".razor", ".cshtml"],
	filenames: [],
	manifests: [
		"*.csproj",
		"*.sln",
		"*.slnx",
		"Directory.Build.props",
		"Directory.Build.targets",
		"Directory.Packages.props",
		"packages.config",
		"nuget.config",
		"NuGet.Config",
		"global.json",
		"appsettings*.json",
	],
	keywords: ["c#", "csharp", "dotnet", ".net", "asp.net", "nuget", "csproj", "entity framework", "xunit", "nunit", "roslyn", "blazor"],
	guidance: GUIDANCE,
	checkCommands: [],
	buildRoot: "topmost",
	testCommand: (files) => ([...files].some((file) => /^[^/]+\.(?:sln|slnx|csproj)$/.test(file)) ? "dotnet test --nologo" : undefined),
};
