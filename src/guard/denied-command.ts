import type { TeamPolicy } from "../domain/team-policy.ts";
import { describeCall } from "./call-facts.ts";
import { isCommandLineDenied } from "./tool-rule.ts";

/** The policy's pattern that denies a command line of settings; what the team denies is denied, whoever asks (S-109). */
export function findDenial(command: string, { denyCommands }: Pick<TeamPolicy, "denyCommands">): string | undefined {
	if (denyCommands.length === 0) return undefined;
	const call = describeCall({ id: "", tool: "bash", effect: "execute", input: { command } });
	return denyCommands.find((pattern) => isCommandLineDenied(pattern, call));
}
