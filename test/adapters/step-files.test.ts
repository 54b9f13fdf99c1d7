import { describe, expect, it } from "vitest";
import { createRunnerLog } from "../../src/adapters/actions-runner/create-runner-log.ts";
import { saveStepState, setOutputs } from "../../src/adapters/actions-runner/write-step-files.ts";

describe("what the runner reads", () => {
	it.each(["a\nb=evil", "agent name", "Größe", ""])("A85 a name such as %j is refused before the toolkit has it", async (name) => {
		await expect(setOutputs({ [name]: "x" })).rejects.toThrow(/output name .* is not kebab-case/);
		await expect(saveStepState({ [name]: "x" })).rejects.toThrow(/state name .* is not kebab-case/);
	});

	it("A83 no line of text becomes a command of the runner", () => {
		const lines: string[] = [];
		const log = createRunnerLog(
			(line) => void lines.push(...line.split("\n")),
			(text) => text,
		);
		const hostile = [
			"::set-output name=a::b",
			"  ::add-mask::x",
			"::stop-commands::t",
			"##[command]x",
			"\r::add-matcher::m.json",
			"a ##[group]b",
		];
		log.info(hostile.join("\n"));
		log.group("title\n::add-mask::y", hostile);
		for (const text of hostile) {
			log.notice(text);
			log.warning(text);
			log.error(text);
		}
		const ours = /^::(?:group|notice|warning|error)::|^::endgroup::$/;
		expect(lines.filter((line) => /^\s*::/.test(line) && !ours.test(line))).toEqual([]);
		expect(lines.filter((line) => line.includes("##[") && !ours.test(line))).toEqual([]);
	});
});
