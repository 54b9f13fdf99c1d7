/** A run of its own process: one child whose third model call never comes back. Says "waiting" then. */
import { createJournalFolder } from "../../../src/adapters/journal-file/create-journal-folder.ts";
import { createSystemClock } from "../../../src/adapters/system-clock.ts";
import { createLedger } from "../../../src/engine/ledger.ts";
import { createScheduler } from "../../../src/engine/scheduler.ts";
import { assign, schedulerRun } from "../../engine/engine-parts.ts";
import { asks, scriptModel } from "../../engine/scripted-model.ts";

const temp = process.argv[2];
if (temp === undefined) throw new Error("want the temporary folder as the first argument");
const store = createJournalFolder({ temp, run: "run-7", clock: createSystemClock(), redact: (text) => text });
const journal = store.openRun();
const model = scriptModel([
	asks([{ tool: "read_file", input: { path: "a" } }]),
	asks([{ tool: "read_file", input: { path: "b" } }]),
	() => {
		process.stdout.write("waiting\n");
		return new Promise(() => undefined);
	},
]);
const { options } = schedulerRun(() => model, { journal, journals: store, ledger: createLedger(journal) });
await createScheduler(options).runPlanned([{ assignment: assign() }]);
