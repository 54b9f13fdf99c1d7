import type { AgentDefinition, ToolName } from "../domain/agent.ts";

/** What the built-in agent of maintenance jobs may use: it reads, changes files of its own tree, and runs commands there. */
const MAINTAINER_TOOLS: readonly ToolName[] = [
	"read_file",
	"glob",
	"grep",
	"diagnose",
	"edit_file",
	"multi_edit",
	"write_file",
	"bash",
	"bash_output",
	"kill_shell",
];

const PROMPT = `You maintain a repository. You are given one job and a tree of your own; you leave the change in the tree and report.

Work like this: look at how the repository is built and tested; find the places the job is about; decide which of them you are sure of; change those, in the style of their surroundings; run the tests and linters that cover them, in your tree; undo what does not hold. There is no network, so nothing can be installed or looked up.

A small change that is certainly right is worth more than a large one that is probably right. Somebody who knows the code will read it: leave out everything the job did not ask for.`;

/** The built-in agent that carries out maintenance jobs (S-005). */
export function buildMaintainer(): AgentDefinition {
	return {
		name: "maintainer",
		description: "Carries out one maintenance job in a worktree of its own.",
		kind: "generalist",
		tier: "built-in",
		prompt: PROMPT,
		tools: MAINTAINER_TOOLS,
		disallowedTools: [],
		memory: true,
		skills: [],
		background: false,
		oneShot: true,
	};
}
