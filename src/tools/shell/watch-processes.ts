import { readdirSync, readFileSync } from "node:fs";
import type { CommandLimits } from "../../domain/worker-protocol.ts";
import type { LimitName } from "./explain-end.ts";

const EVERY_MS = 40;
/** Memory is added up each so many rounds: it takes a read a process. */
const MEMORY_ROUNDS = 5;
const PAGE_BYTES = 4096;

/**
 * Looks after all processes of a sandbox together, which no limit of a single process can: their number and their memory.
 * The kernel's own limit of processes is not kept for root, so a fork bomb in a root job ends here (A75).
 * Only for a process that is alone with its own children in a PID namespace.
 * @param onLimit has to end everything else
 */
export function watchProcesses(limits: CommandLimits, onLimit: (name: LimitName) => void): { stop(): void } {
	let round = 0;
	const timer = setInterval(() => {
		const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
		if (ids.length > limits.processes) return onLimit("process limit");
		round += 1;
		if (round % MEMORY_ROUNDS === 0 && addUpMemory(ids) > limits.memoryBytes) onLimit("memory limit");
	}, EVERY_MS);
	return { stop: () => clearInterval(timer) };
}

/** Resident bytes, shared pages counted once a process: rather too much than too little. */
function addUpMemory(ids: readonly string[]): number {
	let pages = 0;
	for (const id of ids) {
		if (Number(id) === process.pid) continue;
		try {
			pages += Number(readFileSync(`/proc/${id}/statm`, "latin1").split(" ")[1] ?? 0);
		} catch {
			// It has ended in between.
		}
	}
	return pages * PAGE_BYTES;
}
