import { COMMANDS } from "../commands/command-table.ts";
import type { CommandNames } from "../intake/parse-command.ts";

/** The commands a comment may hold. */
export const COMMAND_NAMES: CommandNames = { commands: COMMANDS.map((command) => command.name), handle: "rookery" };
