import type { GitHostReader } from "../../seams.ts";

/**
 * A reader that asks each question once: for the start of a run, where several stages need the same answers and the
 * first one can ask before it is needed. Whoever must see the present state (publishing) uses the reader itself.
 */
export function rememberAnswers(reader: GitHostReader): GitHostReader {
	const answers = new Map<string, Promise<unknown>>();
	const once = <T>(key: string, ask: () => Promise<T>): Promise<T> => {
		const known = answers.get(key);
		if (known !== undefined) return known as Promise<T>;
		const answer = ask();
		answers.set(key, answer);
		// Whoever needs the answer sees the failure; a question asked ahead must not end the process.
		answer.catch(() => undefined);
		return answer;
	};
	return {
		...reader,
		pullRequest: (number) => once(`pull ${number}`, () => reader.pullRequest(number)),
		viewer: () => once("viewer", () => reader.viewer()),
		permission: (login) => once(`permission ${login}`, () => reader.permission(login)),
		defaultBranch: () => once("branch", () => reader.defaultBranch()),
		issueComments: (number) => once(`comments ${number}`, () => reader.issueComments(number)),
		reviewComments: (number) => once(`review comments ${number}`, () => reader.reviewComments(number)),
	};
}
