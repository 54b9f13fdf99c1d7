import { sha256 } from "../guard/audit-entry.ts";
import type { AuditWriter } from "../guard/audit.ts";
import type { Clock, CommitPusher } from "../seams.ts";

/**
 * A pusher whose pushes stand in the run's audit: the decision before it, the outcome behind it. What cannot be recorded
 * is not pushed (D-46): the push then rejects with `E_AUDIT`.
 */
export function auditPushes(
	pusher: CommitPusher,
	run: { readonly audit: AuditWriter; readonly policyHash: string; readonly clock: Clock },
): CommitPusher {
	const { audit, policyHash, clock } = run;
	let count = 0;
	return {
		...pusher,
		async push(request) {
			count += 1;
			const call = { child: "main", call: `push-${count}`, tool: `push (${pusher.way})`, risk: "high" } as const;
			const from = request.expected === null ? "new branch" : request.expected.slice(0, 12);
			await audit.append({
				...{ type: "decision", ...call, effect: "network", target: `refs/heads/${request.branch} (${from})`, decision: "allow" },
				...{ rule: "checked and proved", by: "permissions", policyHash },
			});
			const startedAt = clock.now();
			const outcome = await pusher.push(request);
			const said = outcome.ok ? outcome.commit : `${outcome.reason}: ${outcome.message}`;
			const end = audit.append({
				...{ type: "outcome", ...call, ok: outcome.ok, durationMs: Math.max(0, Math.round(clock.now() - startedAt)) },
				...(outcome.ok ? {} : { code: "E_PUSH" as const }),
				...{ outputHash: sha256(said), outputChars: said.length },
			});
			// What is pushed is pushed: a gap in the chain is told at its seal, and hides no commit.
			await end.catch(() => undefined);
			return outcome;
		},
	};
}
