import type { LoopbackRequest } from "../../src/demo/loopback-model/loopback-request.ts";
import { costOf } from "../../src/domain/cost.ts";

/** What the server saw of one run. */
export interface RunMeasures {
	readonly requests: number;
	/** All prompt tokens that were sent, by the server's own count. */
	readonly tokensSent: number;
	readonly outputTokens: number;
	readonly readShare: number;
	/** List price of the run on a model, from the server's counts. */
	costOn(model: string): number;
}

export function measureRun(requests: readonly LoopbackRequest[]): RunMeasures {
	const sum = (pick: (request: LoopbackRequest) => number): number => requests.reduce((total, request) => total + pick(request), 0);
	const tokensSent = sum((request) => request.prompt?.total ?? 0);
	return {
		requests: requests.length,
		tokensSent,
		outputTokens: sum((request) => request.usage.output),
		readShare: sum((request) => request.prompt?.read ?? 0) / tokensSent,
		costOn: (model) => sum((request) => costOf(model, request.usage) ?? Number.NaN),
	};
}

/** Requests of one conversation, in order of its turns. */
export function groupByChild(requests: readonly LoopbackRequest[]): readonly (readonly LoopbackRequest[])[] {
	const groups = new Map<string, LoopbackRequest[]>();
	for (const request of requests) {
		if (request.request === undefined || request.request.maxTokens === 0) continue;
		const key = JSON.stringify([request.request.system, request.request.messages[0]?.content], (name, value: unknown) =>
			name === "cache_control" ? undefined : value,
		);
		groups.set(key, [...(groups.get(key) ?? []), request]);
	}
	return [...groups.values()].map((group) => group.sort((a, b) => a.turn - b.turn));
}

/** System, tools and role: everything but the pull request's pack (characters / 4, as the server counts). */
export function fixedTokens(request: LoopbackRequest | undefined): number {
	const role = request?.request?.messages[0]?.content.at(-1);
	const { tools = 0, system = 0 } = request?.prompt?.tokens ?? {};
	return tools + system + Math.ceil(String(role?.["text"] ?? "").length / 4);
}

/** From the last byte of a reply to the next request of the same child, in milliseconds. */
export function turnGaps(requests: readonly LoopbackRequest[]): readonly number[] {
	return groupByChild(requests).flatMap((group) =>
		group.flatMap((request, index) => {
			const previous = group[index - 1];
			return previous === undefined ? [] : [request.arrivedMs - previous.endMs];
		}),
	);
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function range(values: readonly number[], digits = 0): string {
	return `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;
}
