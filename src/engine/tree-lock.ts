/** Shared by readers, held alone by a writer in the same tree (S-046). First come, first served, so nobody starves. */
export interface TreeLock {
	run<T>(mode: "shared" | "alone", work: () => Promise<T>): Promise<T>;
}

export function createTreeLock(): TreeLock {
	let lastAlone: Promise<unknown> = Promise.resolve();
	let sharedSince: Promise<unknown>[] = [];
	return {
		run(mode, work) {
			const before = mode === "shared" ? [lastAlone] : [lastAlone, ...sharedSince];
			const result = Promise.allSettled(before).then(work);
			if (mode === "shared") {
				sharedSince.push(result);
			} else {
				lastAlone = result;
				sharedSince = [];
			}
			return result;
		},
	};
}
