import type { LanguageProfile } from "./language-profile.ts";

const GUIDANCE = `Idioms: types by PEP 484, PEP 585, PEP 604; dataclasses or Pydantic; Generators, Async, Context managers, Fixtures.
Look for, in this order:
- Mutable default arguments and class attributes shared by all instances; dataclasses with a mutable default instead of field(default_factory=...); a frozen dataclass or a Pydantic model changed in place.
- Truth tests where 0, "", empty lists or empty frames are valid: \`if value:\` and \`x or default\` instead of \`is None\`. numpy and pandas objects in a boolean context.
- Exceptions: bare except or except Exception that hides the bug, a try block wider than the call that fails, \`raise\` of a new error without \`from\`, return inside finally, errors logged and then treated as success. CancelledError swallowed in async code.
- None: an Optional result used without a check, dict.get passed on, re.match without a test, a function that returns a value on some paths only.
- Typing (PEP 484, PEP 585, PEP 604): an annotation that is untrue, Any or cast or \`type: ignore\` that hides a real mismatch, X | Y syntax or generics of builtins in a module that must run on an older Python (check requires-python), Protocols and overloads that no implementation fits, TypedDict keys that may be missing.
- Async: a coroutine never awaited, blocking calls (requests, time.sleep, open on slow disks, heavy CPU) inside async def, create_task whose result nobody keeps, gather that loses the other errors, locks of threading in async code, an async generator or client never closed.
- Generators and iterators consumed twice; a generator that holds a file or cursor open; a lazy map or filter used as if it had run; late binding of loop variables in lambdas and nested functions.
- Context managers: files, sockets, sessions, locks and temporary folders opened without with; __exit__ that returns a true value by accident; contextlib.contextmanager without try/finally around yield.
- Dictionaries or lists changed while they are iterated; a shallow copy where nested data is changed; sort keys that mix types; set order relied on.
- Text and time: open without encoding, bytes mixed with str, naive and aware datetimes compared, utcnow, local time stored, float for money.
- Security: eval, exec, pickle, yaml.load without a safe loader, subprocess with shell=True or a joined string, SQL by f-string, paths joined with input, tarfile extractall, verify=False, secrets compared with ==, random for tokens, assert as a check (gone under -O).
- Django and Flask where used: a query in a loop (select_related, prefetch_related), a migration that locks or cannot be undone, request data used unchecked, csrf_exempt, a queryset evaluated twice.
- Pydantic and dataclasses: validators that run before or after than assumed (v1 against v2 names), extra fields let in, mutable shared defaults, from_attributes missing.
- Import time: work or I/O at import, circular imports moved into functions without need, a name shadowing the standard library, __all__ and re-exports that no longer fit.
- Packaging: a dependency used and not declared in pyproject.toml or requirements, a lower bound that lacks the used API, a script entry that points nowhere, package data left out.
- Tests: fixtures with a scope that shares state, a mock patched where it is defined instead of where it is used, assert on a tuple or on a Mock attribute that is always true, pytest.raises around too much, parametrize rows that never vary the thing under test.

How to confirm: read each caller and the annotation; check the Python version in pyproject.toml or the CI files; for a None or type fault, show the path that produces the value; for a blocking call, show that it runs inside the event loop.

Not worth reporting: formatting, import order, quote style, names, missing docstrings and missing annotations by themselves, line length, "use a comprehension", broad except at the top of a program that logs and ends.`;

/** Lock file to the runner in front of pytest. */
const RUNNERS: readonly (readonly [file: string, command: string])[] = [
	["uv.lock", "uv run pytest"],
	["poetry.lock", "poetry run pytest"],
	["pdm.lock", "pdm run pytest"],
	["Pipfile.lock", "pipenv run pytest"],
	["Pipfile", "pipenv run pytest"],
];

const PYTHON_PROJECT =
	/^(?:pyproject\.toml|setup\.(?:py|cfg)|pytest\.ini|tox\.ini|conftest\.py|requirements[^/]*\.txt|(?:tests?\/)?test_[^/]*\.py|tests?\/.*\.py)$/;

/** Python. */
export const PYTHON: LanguageProfile = {
	id: "python",
	displayName: "Python",
	extensions: [".py", ".pyi", ".pyw"],
	filenames: [],
	manifests: [
		"pyproject.toml",
		"setup.py",
		"setup.cfg",
		"requirements*.txt",
		"constraints*.txt",
		"Pipfile",
		"tox.ini",
		"pytest.ini",
		"mypy.ini",
		"ruff.toml",
		".python-version",
	],
	keywords: [
		"pytest",
		"pyproject.toml",
		"pip",
		"pydantic",
		"asyncio",
		"django",
		"mypy",
		"numpy",
		"pandas",
		"pyproject",
		"requirements.txt",
	],
	guidance: GUIDANCE,
	checkCommands: [{ command: "python -m compileall -q ." }],
	inherited: RUNNERS.map(([file]) => file),
	testCommand: (files) => {
		const runner = RUNNERS.find(([file]) => files.has(file));
		if (runner !== undefined) return runner[1];
		return [...files].some((file) => PYTHON_PROJECT.test(file)) ? "pytest" : undefined;
	},
};
