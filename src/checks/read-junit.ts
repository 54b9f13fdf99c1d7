import { SaxesParser } from "saxes";
import type { FailedTest } from "../domain/checks.ts";
import type { ReadTests } from "./read-tests.ts";

const MAX_MESSAGE = 500;

/**
 * JUnit XML as Maven's Surefire, Gradle, pytest and most others write it (`testcase` with `failure`, `error` or `skipped`
 * inside). Several documents may stand one behind the other. The parser knows no DTD entities, so a report of the tree
 * cannot grow by expansion; a document that breaks off keeps what was read before. Undefined when there is none.
 */
export function readJunit(text: string): ReadTests | undefined {
	if (!text.includes("<testsuite")) return undefined;
	const cases = text.split(/(?=<\?xml\b)/).flatMap(readDocument);
	const failures: FailedTest[] = cases.filter((each) => each.end === "failed").map(({ name, message }) => ({ name, message }));
	const count = (end: string): number => cases.filter((each) => each.end === end).length;
	return { counts: { passed: count("passed"), failed: count("failed"), skipped: count("skipped"), format: "JUnit XML" }, failures };
}

interface JunitCase {
	readonly name: string;
	end: "passed" | "failed" | "skipped";
	message: string;
}

function readDocument(text: string): readonly JunitCase[] {
	const cases: JunitCase[] = [];
	let current: JunitCase | undefined;
	let inFailure = false;
	const parser = new SaxesParser();
	// Without a handler it would throw; what was read before the fault stands.
	let broken = false;
	parser.on("error", () => {
		broken = true;
	});
	parser.on("opentag", ({ name, attributes }) => {
		if (broken) return;
		if (name === "testcase") {
			const { classname, name: own } = attributes as { classname?: string; name?: string };
			current = { name: [classname, own].filter((part) => part !== undefined && part !== "").join("."), end: "passed", message: "" };
		} else if (current !== undefined && (name === "failure" || name === "error")) {
			current.end = "failed";
			current.message = String(attributes["message"] ?? "").slice(0, MAX_MESSAGE);
			inFailure = true;
		} else if (current !== undefined && name === "skipped") current.end = "skipped";
	});
	parser.on("text", (part) => {
		if (inFailure && current?.message === "") current.message = part.trim().slice(0, MAX_MESSAGE);
	});
	parser.on("cdata", (part) => {
		if (inFailure && current?.message === "") current.message = part.trim().slice(0, MAX_MESSAGE);
	});
	parser.on("closetag", ({ name }) => {
		if (broken) return;
		if (name === "failure" || name === "error") inFailure = false;
		if (name !== "testcase" || current === undefined) return;
		cases.push(current);
		current = undefined;
	});
	try {
		parser.write(text).close();
	} catch {
		// A report that breaks off: what was read before the break stands.
	}
	return cases;
}
