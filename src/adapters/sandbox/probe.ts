import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import * as z from "zod";
import { errorText } from "../../domain/errors.ts";
import type { Bubblewrap } from "./find-bubblewrap.ts";
import type { ProgramPlaces } from "./sandbox-arguments.ts";
import { INSIDE } from "./sandbox-spec.ts";
import { type SandboxedProcess, startSandboxed } from "./start-sandboxed.ts";

export type ProbeResult =
	| { readonly ok: true; readonly durationMs: number; readonly checks: readonly string[] }
	| { readonly ok: false; readonly reason: string; readonly fix: string };

const PROBE_MS = 15_000;

/** What the probe's process reports. `leaks` names every wall that was not there. */
const answerSchema = z.strictObject({ checks: z.array(z.string()), leaks: z.array(z.string()) });

/**
 * Proves with a real run that network, processes, files and environment are cut before anything is trusted to it. It has
 * to pass the very flags that children get; each check tries the forbidden thing itself.
 * @param temporaryFolder where a folder for the run may be made; removed again
 */
export async function probeSandbox(bubblewrap: Bubblewrap, program: ProgramPlaces, temporaryFolder: string): Promise<ProbeResult> {
	const startedAt = performance.now();
	const folder = await mkdtemp(path.join(await realpath(temporaryFolder), "rookery-probe-"));
	const server = createServer((socket) => void socket.destroy());
	try {
		const port = await new Promise<number>((resolve, reject) => {
			server.once("error", reject);
			server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
		});
		const root = path.join(folder, "tree");
		const outside = path.join(folder, "outside");
		await mkdir(root);
		const secret = randomUUID();
		await writeFile(outside, secret);
		const facts = JSON.stringify({ port, pid: process.pid, outside, root });
		const spawned = await startSandboxed(bubblewrap, program, { root, writable: true }, [INSIDE.node, "-e", PROBE_SOURCE, facts]);
		const { text, code, problem } = await collect(spawned);
		if (problem !== undefined || code !== 0) return explainFailure(problem ?? (spawned.errorTail().trim() || `it ended with ${code}`));
		const answer = answerSchema.safeParse(safeJson(text));
		if (!answer.success) return explainFailure("the probe gave no answer");
		const leaks = [...answer.data.leaks, ...((await readFile(outside, "utf8")) === secret ? [] : ["a file of the host was changed"])];
		if (leaks.length > 0) return { ok: false, reason: `the probe got through: ${leaks.join(", ")}`, fix: GENERAL_FIX };
		return { ok: true, durationMs: Math.round(performance.now() - startedAt), checks: answer.data.checks };
	} catch (error) {
		return explainFailure(errorText(error));
	} finally {
		await new Promise((resolve) => server.close(resolve));
		await rm(folder, { recursive: true, force: true });
	}
}

const GENERAL_FIX =
	"Use a GitHub-hosted Ubuntu runner outside a container, or a self-hosted one where unprivileged user namespaces are allowed.";
const APPARMOR_FIX =
	"Ubuntu 24.04 keeps user namespaces from programs without an AppArmor profile. Set the input setup-sandbox to true, or load the profile bwrap-userns-restrict of the package apparmor-profiles before this step.";

/** bubblewrap's own words for a namespace that was refused. */
export function explainFailure(said: string): ProbeResult & { readonly ok: false } {
	const reason = said.replace(/\s+/g, " ").slice(-300);
	const restricted = /RTM_NEWADDR|setting up uid map|Permission denied|Creating new namespace failed|No permissions to create/i.test(
		reason,
	);
	return { ok: false, reason, fix: restricted ? APPARMOR_FIX : GENERAL_FIX };
}

async function collect(spawned: SandboxedProcess): Promise<{ text: string; code: number | null; problem?: string }> {
	let text = "";
	let overdue = false;
	spawned.output.on("data", (chunk: Buffer) => {
		if (text.length < 100_000) text += chunk.toString("utf8");
	});
	spawned.input.end();
	const timer = setTimeout(() => {
		overdue = true;
		spawned.kill();
	}, PROBE_MS);
	const { code, startError } = await spawned.ended;
	clearTimeout(timer);
	if (overdue) return { text, code, problem: `the probe did not end within ${PROBE_MS / 1000} s` };
	return startError === undefined ? { text, code } : { text, code, problem: startError };
}

function safeJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Runs inside; plain JavaScript, because nothing but Node is there. */
const PROBE_SOURCE = `
const fs = require("node:fs"), net = require("node:net"), path = require("node:path");
const facts = JSON.parse(process.argv[1]);
const checks = [], leaks = [];
const check = (name, sound) => void (sound ? checks : leaks).push(name);
const attempt = (action) => { try { action(); return true; } catch { return false; } };
const read = (file) => { try { return fs.readFileSync(file, "utf8"); } catch { return ""; } };
const writes = ["/usr/rookery-probe", "/etc/rookery-probe", "/rookery-probe", "/dev/rookery-probe", "/proc/sys/kernel/hostname"];
const canOpen = (file) => attempt(() => fs.closeSync(fs.openSync(file, "r+")));
check("settings of the kernel", !["/proc/sys/kernel/core_pattern", "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger"].some(canOpen));
check("files outside the tree", !fs.existsSync(facts.outside) && !writes.some((file) => attempt(() => fs.writeFileSync(file, "x"))));
// Its folder lies in the memory of this sandbox; the other side looks whether the real file has changed.
attempt(() => fs.writeFileSync(facts.outside, "x"));
check("the program's own files", !attempt(() => fs.writeFileSync("${INSIDE.code}/rookery-probe", "x")));
if (!attempt(() => fs.writeFileSync(path.join(facts.root, "probe"), "x"))) leaks.push("the tree cannot be written");
const pids = fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name));
check("other processes", pids.length <= 4 && process.pid !== facts.pid);
check("environment of the first process", read("/proc/1/environ") === "");
check("environment", !Object.keys(process.env).some((name) => /^(GITHUB_|ACTIONS_|RUNNER_|INPUT_|ANTHROPIC|AWS_|NODE_OPTIONS)/.test(name)));
check("capabilities", /^CapEff:\\s*0+$/m.test(read("/proc/self/status")) && process.getuid() !== 0);
const interfaces = read("/proc/net/dev").split("\\n").slice(2).map((line) => line.split(":")[0].trim()).filter(Boolean);
check("network interfaces", interfaces.every((name) => name === "lo"));
check("sockets of the host", !fs.existsSync("/run") && !fs.existsSync("/var/run"));
const finish = (connected) => {
	check("network", !connected);
	process.stdout.write(JSON.stringify({ checks, leaks }), () => process.exit(0));
};
const socket = net.connect({ host: "127.0.0.1", port: facts.port, timeout: 2000 });
socket.once("connect", () => finish(true)).once("error", () => finish(false)).once("timeout", () => finish(false));
`;
