import type { CommandNames } from "../intake/parse-command.ts";

/** The commands a comment may hold. */
export const COMMAND_NAMES: CommandNames = { commands: ["review"], handle: "rookery" };
