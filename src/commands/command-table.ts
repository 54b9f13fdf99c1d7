import { AGENT } from "./agent.ts";
import { AGENTS } from "./agents.ts";
import { ASK } from "./ask.ts";
import { AUDIT } from "./audit.ts";
import type { CommandDefinition } from "./command.ts";
import { CONFIG } from "./config.ts";
import { CONTINUE } from "./continue.ts";
import { COST } from "./cost.ts";
import { DESCRIBE } from "./describe.ts";
import { DISMISS } from "./dismiss.ts";
import { EXPERT } from "./expert.ts";
import { EXPERTS } from "./experts.ts";
import { EXPLORE } from "./explore.ts";
import { FIX } from "./fix.ts";
import { HELP } from "./help.ts";
import { PAUSE } from "./pause.ts";
import { RESOLVE } from "./resolve.ts";
import { RESUME } from "./resume.ts";
import { REVIEW } from "./review.ts";
import { SESSION } from "./session.ts";
import { STOP } from "./stop.ts";
import { TRUST } from "./trust.ts";

/** All commands, one line each, in the order of the help. */
export const COMMANDS: readonly CommandDefinition[] = [
	REVIEW,
	EXPLORE,
	ASK,
	FIX,
	EXPERT,
	AGENT,
	CONTINUE,
	DESCRIBE,
	DISMISS,
	RESOLVE,
	PAUSE,
	RESUME,
	STOP,
	TRUST,
	EXPERTS,
	AGENTS,
	SESSION,
	COST,
	AUDIT,
	CONFIG,
	HELP,
];

export function findCommand(name: string): CommandDefinition | undefined {
	return COMMANDS.find((command) => command.name === name);
}
