import { appendFile } from "node:fs/promises";

/** GitHub drops a step summary above 1,024 KiB with an error; we stay below and say so (R25). */
const MAX_SUMMARY_BYTES = 1_000_000;
/** Outputs of a job may have 1 MB in all, counted in UTF-16 (R25). */
const MAX_OUTPUT_CHARS = 400_000;

/**
 * Sets outputs through @actions/core, which picks a random end mark and checks it against the value (BR-38).
 * It is loaded here and not at the start because it costs about 110 ms (it brings its own HTTP client).
 */
export async function setOutputs(values: Readonly<Record<string, string>>): Promise<void> {
	const core = await import("@actions/core");
	for (const [name, value] of Object.entries(values)) {
		checkName("output", name);
		core.setOutput(name, value.length > MAX_OUTPUT_CHARS ? `${value.slice(0, MAX_OUTPUT_CHARS)}…` : value);
	}
}

/** Saves state for the post step. */
export async function saveStepState(values: Readonly<Record<string, string>>): Promise<void> {
	const core = await import("@actions/core");
	for (const [name, value] of Object.entries(values)) {
		checkName("state", name);
		core.saveState(name, value);
	}
}

/** The toolkit takes a line feed in a name, which would write a second record (A85). */
function checkName(kind: string, name: string): void {
	if (!/^[a-z][a-z0-9-]*$/.test(name)) throw new TypeError(`${kind} name ${JSON.stringify(name)} is not kebab-case`);
}

/** Appends Markdown to the step summary file; cut at a line border when too long. Does nothing without a file. */
export async function appendStepSummary(file: string | undefined, markdown: string): Promise<void> {
	if (file === undefined || file === "") return;
	let text = markdown;
	if (Buffer.byteLength(text) > MAX_SUMMARY_BYTES) {
		const cut = Buffer.from(text)
			.subarray(0, MAX_SUMMARY_BYTES - 200)
			.toString("utf8");
		text = `${cut.slice(0, cut.lastIndexOf("\n"))}\n\n_The rest is in the JSON report: the summary has a limit of 1 MiB._\n`;
	}
	await appendFile(file, text.endsWith("\n") ? text : `${text}\n`);
}
