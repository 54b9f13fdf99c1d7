import type { PatchedTree, PatchRisk } from "../domain/patch.ts";
import type { ChangedText } from "../tools/diagnosis/changed-text.ts";
import { isProse, isTestOrExample } from "../tools/diagnosis/path-kinds.ts";

/** Files by whose words the checks run: with another one of them, green means something else. */
const CHECK_FILES =
	/^(?:package\.json|makefile|gnumakefile|justfile|taskfile\.ya?ml|tox\.ini|noxfile\.py|pytest\.ini|setup\.(?:cfg|py)|pyproject\.toml|conftest\.py|cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|rakefile|gemfile|composer\.json|phpunit\.xml(?:\.dist)?|deno\.jsonc?|tsconfig.*\.json|(?:jest|vitest|vite|karma|mocha|playwright|cypress|babel|eslint|biome|oxlint)[\w.-]*\.(?:[cm]?[jt]s|jsonc?)|\.(?:mocharc|eslintrc|oxlintrc|golangci|rubocop|flake8|pylintrc)[\w.-]*|ruff\.toml|clippy\.toml|mypy\.ini|.*\.csproj)$/i;

/** Words that tell a linter or compiler to look away. */
const SILENCE =
	/eslint-disable|biome-ignore|oxlint-disable|@ts-(?:ignore|nocheck|expect-error)|#\s*(?:noqa|type:\s*ignore|nosec|pragma: no cover)|pylint:\s*disable|\/\/\s*nolint|NOLINT|#\[allow\(|@SuppressWarnings|rubocop:disable|@phpstan-ignore|#pragma warning disable|(?:istanbul|c8|v8) ignore/;

/** Marks that leave tests out. */
const SKIP =
	/\.(?:skip|only|todo)\s*\(|\b(?:xit|xtest|xdescribe|fit|fdescribe)\s*\(|@(?:Disabled|Ignore)\b|\bt\.Skip(?:f|Now)?\(|#\[ignore|(?:pytest\.mark|unittest)\.(?:skip|xfail|expectedFailure)|pytest\.skip\(|\bpending\s*\(/;

const ASSERTION = /\b(?:assert\w*|expect|should|verify\w*|XCTAssert\w*)\b|\bt\.(?:Error|Fatal)f?\(|\brequire\.\w+\(/;
const TEST_START =
	/^\s*(?:(?:it|test|describe)(?:\.\w+)*\s*\(|(?:async )?def test_|func Test\w*\(|#\[(?:\w+::)?test\]|@(?:Parameterized)?Test\b)/;

/**
 * What a person should look at in a patch that breaks no rule. `weakens` marks what takes from the proof itself: a
 * change that is green because less is checked has shown nothing. Found by words, so it may be too careful, and then the
 * change goes to a pull request of its own.
 */
export function listRisks(change: PatchedTree, texts: readonly ChangedText[]): readonly PatchRisk[] {
	const byPath = new Map(texts.map((text) => [text.path, text]));
	return change.files.flatMap((file): PatchRisk[] => {
		const { path } = file;
		const name = path.slice(path.lastIndexOf("/") + 1);
		const isTest = isTestOrExample(path) && !isProse(path);
		if (file.status === "deleted") return [{ path, text: isTest ? `${path}: a test file is gone` : `${path} is gone`, weakens: isTest }];
		const risks: PatchRisk[] = [];
		if (CHECK_FILES.test(name)) risks.push({ path, text: `${path} decides how the checks run`, weakens: true });
		const text = byPath.get(path);
		if (text === undefined) return risks;
		const { added, deleted } = linesOf(text);
		if (added.some((line) => SILENCE.test(line)) && !deleted.some((line) => SILENCE.test(line))) {
			risks.push({ path, text: `${path}: a checker is told to look away`, weakens: true });
		}
		if (!isTest) return risks;
		const less = (pattern: RegExp): boolean => count(deleted, pattern) > count(added, pattern);
		if (count(added, SKIP) > count(deleted, SKIP)) risks.push({ path, text: `${path}: a test is left out`, weakens: true });
		if (less(TEST_START) || less(ASSERTION)) risks.push({ path, text: `${path}: it tests less than before`, weakens: true });
		if (risks.length === 0) risks.push({ path, text: `${path}: a test is changed`, weakens: false });
		return risks;
	});
}

function linesOf(text: ChangedText): { readonly added: readonly string[]; readonly deleted: readonly string[] } {
	const base = (text.base ?? "").split("\n");
	return {
		added: [...text.added].map((line) => text.lines[line - 1] ?? ""),
		deleted: text.blocks.flatMap((block) => block.deleted.map((line) => base[line - 1] ?? "")),
	};
}

function count(lines: readonly string[], pattern: RegExp): number {
	return lines.filter((line) => pattern.test(line)).length;
}
