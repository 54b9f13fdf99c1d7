/** A text that waits for an agent: a message of another agent, or the news that one of its children has ended. */
export interface InboxMessage {
	readonly text: string;
	/** True for news of a child; journaled with the notification flag (S-129). */
	readonly notification: boolean;
}

/** What an agent sees of its messages and of the children it started. */
export interface Inbox {
	/** Takes everything that waits, oldest first. */
	take(): readonly InboxMessage[];
	/** True while a message waits or a child this agent started has not ended: its answer is not the last word yet (S-144). */
	isExpecting(): boolean;
	/** Resolves when a message waits, when the last child has ended, or when the signal aborts. */
	next(signal: AbortSignal): Promise<void>;
	/** Cancels the children this agent started and waits until each has written its end (S-171). */
	stopChildren(reason: string): Promise<void>;
}

/** The other side of an inbox, held by the scheduler. */
export interface InboxControl extends Inbox {
	push(message: InboxMessage): void;
	/** Says that `ended` will settle when a child of this agent has ended; `stop` cancels that child. */
	adopt(child: { readonly ended: Promise<unknown>; stop(reason: string): void }): void;
}

export function createInbox(): InboxControl {
	let waiting: readonly InboxMessage[] = [];
	const children = new Set<{ readonly ended: Promise<unknown>; stop(reason: string): void }>();
	const listeners = new Set<() => void>();
	const wake = () => {
		for (const listener of [...listeners]) listener();
	};

	return {
		push(message) {
			waiting = [...waiting, message];
			wake();
		},
		adopt(child) {
			children.add(child);
			const drop = () => {
				children.delete(child);
				wake();
			};
			child.ended.then(drop, drop);
		},
		take() {
			const taken = waiting;
			waiting = [];
			return taken;
		},
		isExpecting: () => waiting.length > 0 || children.size > 0,
		next(signal) {
			if (waiting.length > 0 || children.size === 0 || signal.aborted) return Promise.resolve();
			return new Promise((resolve) => {
				const done = () => {
					listeners.delete(done);
					signal.removeEventListener("abort", done);
					resolve();
				};
				listeners.add(done);
				signal.addEventListener("abort", done, { once: true });
			});
		},
		async stopChildren(reason) {
			const live = [...children];
			for (const child of live) child.stop(reason);
			await Promise.allSettled(live.map((child) => child.ended));
		},
	};
}
