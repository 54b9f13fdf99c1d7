import path from "node:path";
import { callTool, callTools, type ModelCall, say, type ScriptedReply } from "../../src/demo/loopback-model/scripted-reply.ts";
import { BENCH_LANGUAGES } from "./make-engine-repository.ts";

/** First user text of the other side's parent: how many children it is to start. */
export const PARENT_MARKER = "BENCH-PARENT";
const CHILD_MARKER = /BENCH-CHILD (\w+)/;

export interface ScriptOptions {
	readonly folder: string;
	/** The other side's children first read the diff themselves, since they are not given it. */
	readonly readDiff: boolean;
}

/** The one script that both sides play: read a file, search once, answer. Stateless: the turn is the number of replies so far. */
export function createDecide(options: ScriptOptions): (call: ModelCall) => ScriptedReply {
	return (call) => {
		const peer = call.request.tools.some((tool) => tool["name"] === "Read");
		return peer ? decidePeer(call, options) : decideOurs(call);
	};
}

const REPORT = { summary: "Read and searched; nothing is wrong with these totals.", findings: [], open: [] };

function decideOurs(call: ModelCall): ScriptedReply {
	const language = BENCH_LANGUAGES.find((each) => call.opening.includes(`the ${each.displayName} specialist`)) ?? BENCH_LANGUAGES[0];
	if (language === undefined) throw new Error("no language");
	if (call.turn === 0) return callTool("read_file", { path: language.file });
	if (call.turn === 1) return callTool("grep", { pattern: language.pattern });
	return callTool("submit_report", REPORT);
}

function decidePeer(call: ModelCall, options: ScriptOptions): ScriptedReply {
	const name = CHILD_MARKER.exec(call.opening)?.[1];
	if (name === undefined) return decideParent(call);
	const language = BENCH_LANGUAGES.find((each) => each.id === name) ?? BENCH_LANGUAGES[0];
	if (language === undefined) throw new Error("no language");
	const turn = options.readDiff ? call.turn - 1 : call.turn;
	if (turn < 0) return callTool("Bash", { command: "git diff main...HEAD", description: "Show the change" });
	if (turn === 0) return callTool("Read", { file_path: path.join(options.folder, language.file) });
	if (turn === 1) return callTool("Grep", { pattern: language.pattern, path: options.folder, output_mode: "content" });
	return say(REPORT.summary);
}

function decideParent(call: ModelCall): ScriptedReply {
	if (call.turn > 0) return say("All reviewed.");
	const wanted = new RegExp(`${PARENT_MARKER} (\\S+)`).exec(call.opening)?.[1] ?? "";
	return callTools(
		wanted.split(",").map((name) => ({
			name: "Agent",
			input: { description: `review ${name}`, prompt: "Review the change.", subagent_type: `${name}-reviewer`, run_in_background: false },
		})),
	);
}
