import { jvmTestCommand } from "./jvm-tests.ts";
import type { LanguageProfile } from "./language-profile.ts";

const GUIDANCE = `Idioms: Records, Sealed types, Pattern matching, Streams, Optional; Maven or Gradle; JUnit 5, Mockito.
Look for, in this order:
- null: a value that may be null by its source (map get, JDBC column, JSON field, annotation) used without a check; Optional.get without isPresent, Optional as field or parameter, Optional.of on something nullable; auto-unboxing of a null Integer or Boolean, also in a ternary.
- equals and hashCode that disagree or use mutable fields of a key in a HashMap or HashSet; == on boxed numbers and strings; compareTo that overflows by subtraction or breaks its contract; records with arrays, whose equality is by reference; records and sealed types that lose validation or copying in a compact constructor.
- Sealed types and pattern matching: a default branch that swallows a new permitted type, an instanceof pattern in the wrong order, a switch over an enum without the new constant.
- Resources: streams, readers, JDBC statements and result sets, HTTP responses, Files.lines and Files.walk outside try-with-resources; close in finally that hides the first exception.
- Exceptions: caught and dropped, Exception or Throwable caught too wide, InterruptedException swallowed without interrupt(), a cause not passed on, checked exceptions turned into a success value, return in finally.
- Concurrency: SimpleDateFormat, HashMap or ArrayList shared by threads; check-then-act on a ConcurrentHashMap (use compute and merge); a field that is read without the lock or volatile that its writes have; double-checked locking without volatile; synchronized on a boxed value, a string or a changing field; wait without a loop; executors never shut down; ThreadLocal not removed in a pool; CompletableFuture whose failure nobody sees or whose work runs in the common pool although it blocks; virtual threads pinned by synchronized around I/O on older versions.
- Streams: a stream used twice, side effects in map or peek, parallel on shared state, toMap with repeated keys, Collectors.toList against an unmodifiable list, a lazy stream returned from a closed resource, sorted or distinct on types without the right equality.
- Collections changed while iterated; List.remove(int) against remove(Object); Arrays.asList and List.of written to; sub-lists kept; internals handed out without a copy.
- Numbers and time: int overflow before it is widened to long, BigDecimal from double or compared with equals, integer division, money in double, LocalDateTime where an Instant or a zone is needed, a default zone, charset or locale.
- Generics: raw types and unchecked casts that let a ClassCastException happen elsewhere; a wildcard that callers cannot use; a public signature, a serialised class or an enum order that others depend on.
- Spring where used: field state in a singleton bean, @Transactional on a private or self-called method, a checked exception that does not roll back, lazy loading outside the session, N+1 queries, an entity with equals on a generated id, @Async without an executor, request data bound to an entity, an endpoint without authorisation that its siblings have.
- Security: SQL, JPQL, LDAP or commands by joining strings; XML parsers with external entities; Java deserialisation of input; path traversal in zip entries and uploads; SpEL from input; secrets in logs; weak random for tokens; TLS checks switched off.
- Build files: Maven or Gradle dependencies in the wrong scope (test in compile, api against implementation), versions that a parent or BOM already manages, SNAPSHOTs, a plugin without a version, a Java level lower than the syntax in use.
- Tests: JUnit 5 tests with imports of JUnit 4 that never run, missing assertions, assertThrows around too much, Mockito stubs that no longer match or mock the class under test, verify without times where it matters, static state shared by tests, sleeps.

How to confirm: find the declaration and its nullness annotations, read the callers the index names, look for the lock that guards a field at each access, check the Java release in pom.xml or build.gradle before you speak of newer syntax.

Not worth reporting: formatting, import order, names, missing Javadoc, final on locals, "use var", "use a stream", getters and setters, Lombok taste, logging style unless it leaks or costs.`;

/** Java. */
export const JAVA: LanguageProfile = {
	id: "java",
	displayName: "Java",
	extensions: [".java"],
	filenames: [],
	manifests: [
		"pom.xml",
		"build.gradle",
		"build.gradle.kts",
		"settings.gradle",
		"settings.gradle.kts",
		"gradle.properties",
		"libs.versions.toml",
		"checkstyle*.xml",
	],
	keywords: ["pom.xml", "maven", "mvn", "gradle", "junit", "mockito", "spring boot", "jvm", "javac", "build.gradle"],
	guidance: GUIDANCE,
	checkCommands: [],
	buildRoot: "topmost",
	testCommand: jvmTestCommand,
};
