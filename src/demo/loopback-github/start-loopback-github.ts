import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFaultList } from "./apply-fault.ts";
import { buildRouter, type Router } from "./build-router.ts";
import { type ContractChecker, createContractChecker } from "./check-contract.ts";
import { type GraphQLHandler, handleRequest, type RequestServices } from "./handle-request.ts";
import type { LoopbackGitHub } from "./loopback-github.ts";
import { createLoopbackState } from "./loopback-state.ts";
import type { Contract } from "./loopback-types.ts";
import { createReadings } from "./read-loopback.ts";
import { createSetUp } from "./set-up-loopback.ts";

export type { LoopbackGitHub } from "./loopback-github.ts";

export interface LoopbackOptions {
	/** Answers `/graphql`; without it that path is a 404. */
	readonly graphql?: GraphQLHandler;
	/** Checks our own answers against the contract too; true when left out. Costs about a second over a run. */
	readonly checkResponses?: boolean;
	/** Folder for the bare repositories; a temporary one, removed by `close`, when left out. */
	readonly folder?: string;
}

async function loadContract(): Promise<{ readonly router: Router; readonly checker: ContractChecker }> {
	const module = await import("../contract.json", { with: { type: "json" } });
	const contract = module.default as unknown as Contract;
	return { router: buildRouter(contract.operations), checker: createContractChecker(contract) };
}

/** Calls a function once and hands out the same promise afterwards. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
	let made: Promise<T> | undefined;
	return () => {
		made ??= make();
		return made;
	};
}

async function listen(server: Server): Promise<number> {
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject);
		server.listen(0, "127.0.0.1", resolve);
	});
	return (server.address() as AddressInfo).port;
}

/** Starts a loopback GitHub on a free port of 127.0.0.1. The caller closes it. */
export async function startLoopbackGitHub(options: LoopbackOptions = {}): Promise<LoopbackGitHub> {
	const state = createLoopbackState();
	const services: RequestServices = {
		state,
		faults: createFaultList(),
		requests: [],
		violations: [],
		contract: once(loadContract),
		checkResponses: options.checkResponses ?? true,
		graphql: options.graphql,
	};
	const server = createServer((request, response) => {
		void handleRequest(services, request, response);
	});
	const sockets = new Set<Socket>();
	server.on("connection", (socket) => {
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
	});
	const port = await listen(server);
	const url = `http://127.0.0.1:${port}`;
	state.apiUrl = url;
	state.serverUrl = url;
	const ownFolder = once(() => mkdtemp(join(tmpdir(), "loopback-github-")));
	let madeFolder = false;
	const folder = async (): Promise<string> => {
		if (options.folder !== undefined) return options.folder;
		madeFolder = true;
		return ownFolder();
	};
	const close = once(async () => {
		const closed = new Promise<void>((resolve) => server.close(() => resolve()));
		for (const socket of sockets) socket.destroy();
		await closed;
		if (madeFolder) await rm(await ownFolder(), { recursive: true, force: true, maxRetries: 3 });
	});
	return {
		url,
		serverUrl: url,
		graphqlUrl: `${url}/graphql`,
		state,
		faults: services.faults,
		requests: services.requests,
		violations: services.violations,
		...createSetUp(state, folder),
		...createReadings(state),
		close,
		[Symbol.asyncDispose]: close,
	};
}
