import { jvmTestCommand } from "../jvm-tests.ts";
import type { LanguageProfile } from "../language-profile.ts";

const GUIDANCE = `Idioms: null safety, data and sealed classes, exhaustive when, extension functions, structured concurrency with coroutines and Flow, JUnit 5, Kotest or MockK.
Look for, in this order:
- Null safety given away: !!, lateinit read before it is set, platform types from Java used as never null, as instead of as?, requireNotNull on input that may be absent, ?.let whose else branch also runs when the block returns null.
- Coroutines: GlobalScope or a scope nobody cancels, launch whose exception ends nowhere, async never awaited, runBlocking on a request or main thread, blocking I/O outside Dispatchers.IO, CancellationException swallowed by catch (e: Exception) or runCatching, withContext(NonCancellable) missing in clean-up, a suspend call while a lock (synchronized) is held.
- Cancellation: a loop without ensureActive, a callback wrapped by suspendCoroutine instead of suspendCancellableCoroutine, resources not closed on cancel, timeouts that leave the work running, a Job replaced by an unrelated one so that the parent no longer waits.
- Flow: a cold flow collected twice and so run twice, collect that never ends before code behind it, stateIn and shareIn with the wrong start or scope, emission from another context without flowOn, MutableStateFlow updated by read-then-write instead of update, conflation that drops events, catch placed above what fails.
- when: an else branch that swallows a new sealed subclass or enum constant, when as a statement that need not be exhaustive, a smart cast lost by a custom getter or a var.
- Data classes: equals over arrays, copy that shares mutable inner lists, a var in a hash key, properties outside the constructor left out of equals, destructuring by position after fields were reordered, defaults that Java or serialisation do not see.
- Collections: List that is a mutable list underneath and changes later, asSequence never finished, sequences iterated twice, first and single that throw, associateBy and toMap that lose repeated keys, subList views, chained filters over large lists in a hot path.
- Scope functions: it and this shadowed in nested let, apply and also, the result of apply taken for the block's, run on a nullable without ?, early return that leaves the outer function (non-local return in an inline lambda).
- Initialisation: properties used in init before their declaration, an open member called in a constructor, by lazy with the wrong thread mode, object singletons with state, companion constants that Java inlines, delegates evaluated at another time than thought.
- Java interop: missing @JvmStatic, @JvmOverloads or @Throws where Java calls, checked exceptions nobody expects, nullable annotations that lie, a SAM conversion that makes a new object each time so that removing a listener fails, internal names mangled, Kotlin default arguments in frameworks that reflect.
- Generics and inline: reified lost through another call, out and in wrong for a mutable type, unchecked casts, inline functions whose body is public ABI, value classes boxed in generics.
- Numbers and time: Int overflow, integer division, Double for money, currentTimeMillis for durations, LocalDateTime where an Instant is meant, string formatting by the default locale.
- Android where it is: a Context, View or Activity held beyond its life, work on the main thread, collection without repeatOnLifecycle, state lost at configuration change, Compose state read or written in the wrong place, unstable keys in lazy lists, side effects outside LaunchedEffect, remember without its keys, exported components and PendingIntents that are mutable, a missing permission check.
- Spring and Ktor where used: classes not open for proxies (kotlin-spring plugin), @Transactional on private or suspend functions, validation annotations without the @field: or @get: target, blocking calls in a Ktor handler, call.receive twice, routes outside authenticate.
- Serialisation: kotlinx, Jackson and Moshi defaults, unknown keys, nullable against absent, enums renamed, polymorphism without a class discriminator, obfuscation rules that miss a model.
- Errors: runCatching that hides errors, Result ignored, require and check confused (argument or state), use missing on closeables, exceptions for control flow across suspend borders.
- Build files: implementation against api, kapt and ksp mixed, a Kotlin or JVM target that dependents cannot read, a plugin without a version, BOM overridden, minSdk or targetSdk raised in passing, explicit API mode broken.
- Tests: runTest with real dispatchers, advanceUntilIdle missing, coEvery against every, relaxed mocks that hide a wrong call, shared state in a companion, assertThrows around too much, Kotest specs whose leaf never runs.

How to confirm: find the declared type and whether it comes from Java, the scope that a coroutine belongs to and who cancels it, every when over the changed sealed type, and the callers in Java.

Not worth reporting: formatting, ktlint and detekt style, expression bodies, trailing commas, val for var without an effect, "use a scope function", missing KDoc, explicit types.`;

/** Kotlin. */
export const KOTLIN: LanguageProfile = {
	id: "kotlin",
	displayName: "Kotlin",
	extensions: [".kt", ".kts", ".ktm"],
	filenames: [],
	manifests: ["detekt.yml", "detekt.yaml", "proguard-rules.pro", "AndroidManifest.xml"],
	keywords: ["kotlin", "ktor", "kotlinx", "ktlint", "detekt", "jetpack compose", "mockk", "kotest"],
	guidance: GUIDANCE,
	checkCommands: [],
	buildRoot: "topmost",
	testCommand: jvmTestCommand,
};
