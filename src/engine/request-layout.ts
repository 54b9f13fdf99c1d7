import type { AssignedFile, Assignment } from "../domain/child-run.ts";
import type { ContentBlock, Effort, ModelMessage, ModelRequest, TextBlock, ToolSpec } from "../domain/model-message.ts";
import type { Tool } from "../seams.ts";

/**
 * What all children of a run share, byte for byte: nothing of one child, no time, no id, no random text stands in it
 * (COST.md 4.2, G4, G16). It ends with the shared cache mark.
 */
export interface RequestPrefix {
	readonly system: readonly TextBlock[];
	/** The pull request pack: the first blocks of the first user message. */
	readonly pack: readonly TextBlock[];
}

interface LayoutInput {
	readonly model: string;
	readonly effort: Effort;
	readonly maxTokens: number;
	readonly prefix: RequestPrefix;
	readonly tools: readonly Tool[];
	/** The history; its first message is the one of `buildFirstMessage`. Marks in it are set here and nowhere else. */
	readonly messages: readonly ModelMessage[];
}

/** Tools in one fixed order, so that the same set gives the same bytes however it was put together. */
export function orderTools(tools: readonly Tool[]): readonly Tool[] {
	return [...tools].sort((a, b) => (a.spec.name < b.spec.name ? -1 : a.spec.name > b.spec.name ? 1 : 0));
}

/** The one user message of a child's first request: the shared pack, then this child's role and task (S-058, S-060, S-063). */
export function buildFirstMessage(prefix: RequestPrefix, roleAndTask: string): ModelMessage {
	return { role: "user", content: [...withoutMarks(prefix.pack), { type: "text", text: roleAndTask }] };
}

/** Role, task, files, commits: everything that is this child's own. What a task says already is not said twice (G1). */
export function renderRoleAndTask(assignment: Assignment, commits: { readonly base: string; readonly head: string }): string {
	const { agent, files, testCommand } = assignment;
	const task = assignment.task.trim();
	const parts = [agent.prompt.trim(), `# Task\n\n${task}`];
	if (!task.includes(commits.head)) parts.push(`Base ${commits.base}, head ${commits.head}.`);
	const unnamed = files.filter((file) => !task.includes(showPath(file)));
	if (unnamed.length > 0) parts.push(`Your files:\n${unnamed.map(describeFile).join("\n")}`);
	if (testCommand !== undefined && !task.includes(testCommand) && !agent.prompt.includes(testCommand))
		parts.push(`Test command: ${testCommand}`);
	return parts.filter((part) => part !== "").join("\n\n");
}

function describeFile(file: AssignedFile): string {
	return `- ${showPath(file)} (+${file.additions} -${file.deletions})`;
}

/** A file name is data: one that could look like text of ours is quoted. */
function showPath({ path }: AssignedFile): string {
	return /^[\w./@+~#,=-]+$/.test(path) ? path : JSON.stringify(path);
}

/**
 * tools → shared system text → pack → role and task → steps, with at most four cache marks: the end of the system
 * text, the end of the pack (the shared mark), and the ends of the last two user messages. The mark before the last
 * one stands where the previous request wrote its entry, so that the read never depends on how many blocks a step
 * added (a mark looks back only twenty positions, COST.md 4.2).
 */
export function buildRequest(input: LayoutInput): ModelRequest {
	const users = input.messages.flatMap((message, index) => (message.role === "user" ? [index] : []));
	const moving = new Set(users.slice(-2));
	const shared = input.prefix.pack.length - 1;
	return {
		model: input.model,
		effort: input.effort,
		maxTokens: input.maxTokens,
		system: markLast(withoutMarks(input.prefix.system)),
		tools: orderTools(input.tools).map((tool): ToolSpec => tool.spec),
		messages: input.messages.map((message, index) => ({
			role: message.role,
			content: message.content.map((block, position) => {
				const isShared = index === 0 && position === shared;
				const isEnd = moving.has(index) && position === message.content.length - 1;
				return isShared || isEnd ? mark(block) : block;
			}),
		})),
	};
}

function withoutMarks(blocks: readonly TextBlock[]): TextBlock[] {
	return blocks.map(({ type, text }) => ({ type, text }));
}

function markLast(blocks: readonly TextBlock[]): TextBlock[] {
	return blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, cache: true } : block));
}

function mark(block: ContentBlock): ContentBlock {
	return block.type === "text" || block.type === "tool-result" ? { ...block, cache: true } : block;
}
