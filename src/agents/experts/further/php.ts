import type { LanguageProfile } from "../language-profile.ts";

const GUIDANCE = `Idioms: strict_types, typed properties, readonly and enums, match, PSR-4 with Composer, constructor injection, PHPUnit or Pest.
Look for, in this order:
- Comparisons: == and in_array, array_search, switch without strictness; "0" and "" as false; strpos whose 0 is taken for false; null coalescing that hides a wrong key; <=> and sort callbacks that return bool.
- Types: a parameter or return that can be null by its source (find, first, json_decode, preg_match, getenv, array access) used unchecked; mixed passed on; float keys that become int; numeric strings; declare(strict_types=1) missing in the calling file, where it counts; ?-> that makes a failure silent.
- Arrays: references left over from foreach by &, array_merge against + with integer keys, array_filter that keeps gaps in a list which is then encoded as an object, unset in a loop by index, array_map that loses keys, a list taken by order from a database without ORDER BY.
- Errors: @ that hides a failure, false returned by file_get_contents, fopen, json_encode or curl_exec not looked at, exceptions caught as \\Exception where \\Error is thrown (and the reverse), finally that returns, a catch that logs and goes on as if it had worked.
- SQL: queries by interpolation or with a column or direction from input; IN lists joined; LIKE without escaping; PDO with emulated prepares or silent error mode; transactions without rollback on the error path; lastInsertId after another statement.
- Output: echo of input without htmlspecialchars in the right context, {!! !!} and |raw, json_encode into a script block without JSON_HEX flags, header() with input or after output, a redirect without exit.
- Files and processes: include or require with input, move_uploaded_file by the client's name or type, unserialize and phar:// on input, exec and shell_exec without escapeshellarg, paths joined with .., zip entries, temporary files with known names.
- Sessions and access: session id not renewed at login, cookies without HttpOnly, Secure and SameSite, a route without the middleware or voter that its siblings have, CSRF excluded, an object looked up by id without its owner, password_hash replaced by md5, == on tokens (hash_equals), rand for secrets (random_bytes).
- Laravel where used: N+1 (with, load), $guarded = [] and fill with request()->all(), a policy never called, whereHas cost, update on a query that skips events, jobs with whole models, queue retries that are not idempotent, env() outside config, dispatch inside a transaction without afterCommit, migrations that lock or cannot go down.
- Symfony and Doctrine where used: flush in a loop, a detached entity, cascade and orphanRemoval surprises, lazy collections counted, DQL with joined text, services that hold state between requests of a worker, form options that let in extra fields, a firewall rule in the wrong order.
- Long-running workers (Octane, Swoole, Messenger): static and singleton state that leaks between requests, connections that went away, memory that only grows.
- Classes: constructor promotion that changes visibility, a child whose signature does not fit, readonly cloned and changed, enum cases stored by name and renamed, __get and __call that hide typing errors, traits whose methods collide, static against self.
- match without a default for a value that can come, match(true) order, a new enum case unhandled, nullsafe chains in a write, named arguments tied to names that then change.
- Text and time: strlen and substr on UTF-8 (mb_), date() in the server's zone, DateTime changed in place where DateTimeImmutable is needed, floats for money, number formats by locale, regular expressions without u or with catastrophic backtracking (preg_* returning null).
- Composer: a class moved without its namespace or PSR-4 path, a package in require-dev that production uses, a constraint that lets in a breaking major, the platform's php lower than the syntax in use, composer.lock that did not follow, scripts that run on install.
- Tests: assertEquals where assertSame is meant, expectException after the call, data providers that never vary, mocks without expectations, database state shared, time not frozen, a test class whose name does not match and is never run.

How to confirm: read the called function's return type and documentation for its false or null, the middleware and route files for access, the migration or entity for nullability, composer.json for the PHP version.

Not worth reporting: PSR-12 formatting, import order, doc blocks, yoda style, final by default, "use a repository", array syntax, what PHPStan or Psalm with the repository's level reports.`;

/** PHP. */
export const PHP: LanguageProfile = {
	id: "php",
	displayName: "PHP",
	extensions: [".php", ".phtml", ".php5", ".phpt", ".blade.php", ".twig"],
	filenames: ["artisan"],
	manifests: ["composer.json", "composer.lock", "phpunit.xml", "phpunit.xml.dist", "phpstan.neon", "phpstan.neon.dist", "psalm.xml"],
	keywords: ["php", "composer.json", "phpunit", "phpstan", "laravel", "symfony", "doctrine orm", "wordpress", "php artisan", "php.ini"],
	guidance: GUIDANCE,
	checkCommands: [],
	testCommand: (files) => {
		if (files.has("tests/Pest.php")) return "vendor/bin/pest";
		if (files.has("artisan")) return "php artisan test";
		return files.has("phpunit.xml") || files.has("phpunit.xml.dist") ? "vendor/bin/phpunit" : undefined;
	},
};
