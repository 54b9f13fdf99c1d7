import type { JournalEvent } from "../../domain/journal-entry.ts";
import type { Journal, JournalStore } from "../../seams.ts";

type RunJournals = JournalStore & { openRun(): Journal };

/**
 * The same journals, and every record that was written is told as well: what people see of a run while it goes on is
 * what its journals hold, and nothing else has to report it. A listener that throws does not disturb the run.
 */
export function watchJournals(journals: RunJournals, listener: (event: JournalEvent) => void): RunJournals {
	return {
		folder: journals.folder,
		open: (session) => watch(journals.open(session), listener),
		openRun: () => watch(journals.openRun(), listener),
	};
}

function watch(journal: Journal, listener: (event: JournalEvent) => void): Journal {
	return {
		path: journal.path,
		async append(event) {
			const entry = await journal.append(event);
			try {
				listener(entry);
			} catch {
				// A display that breaks is not the run's concern.
			}
			return entry;
		},
		close: () => journal.close(),
	};
}
