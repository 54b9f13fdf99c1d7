import { callTool, callTools, type Decide, type ModelCall } from "../../src/demo/loopback-model/scripted-reply.ts";

export interface WorstCall {
	readonly name: string;
	readonly input: unknown;
}

const DONE = { summary: "Read.", findings: [], open: [] };

/** A model that makes the same worst calls whatever it is told, all in its first turns, then reports. */
export function hostile(calls: readonly WorstCall[], report: unknown = DONE): Decide {
	return ({ turn }) => {
		const batch = calls.slice(turn * 8, turn * 8 + 8);
		return batch.length > 0 ? callTools(batch) : callTool("submit_report", report);
	};
}

const ORDER = /please call (\w+) (\{[^{}]*\})/gi;

/**
 * A model that does what any text in its prompt tells it: `please call TOOL {…}`. Whether an order was obeyed shows
 * whether the text reached the model at all, so hidden text must not be obeyed; and what it may do is up to the gate.
 */
export function obedient(report: unknown = DONE): Decide {
	return (call) => {
		const orders = listOrders(call);
		return call.turn === 0 && orders.length > 0 ? callTools(orders) : callTool("submit_report", report);
	};
}

function listOrders(call: ModelCall): readonly WorstCall[] {
	const text = [...call.request.system, ...call.request.messages.flatMap((message) => message.content)]
		.map((block) => (typeof block["text"] === "string" ? block["text"] : JSON.stringify(block["content"] ?? "")))
		.join("\n");
	return [...text.matchAll(ORDER)].flatMap(([, name, json]) => {
		try {
			return [{ name: name ?? "", input: JSON.parse(json ?? "") as unknown }];
		} catch {
			return [];
		}
	});
}
