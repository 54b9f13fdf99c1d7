/** A command that shows whether code is sound, where the folder has what it needs. */
export interface CheckCommand {
	readonly command: string;
	/** Names of files of which the folder must have one; absent when the command always makes sense. */
	readonly needs?: readonly string[];
}

/** A language the router knows: which files are its, how it is tested, and what its specialist looks for. */
export interface LanguageProfile {
	/** `go`, `rust`, …: used in settings, sessions and reports. */
	readonly id: string;
	readonly displayName: string;
	/** With their dot, lower case. */
	readonly extensions: readonly string[];
	/** Whole file names, compared as written. */
	readonly filenames: readonly string[];
	/** Whole paths, where the folder tells more than the name. */
	readonly paths?: readonly RegExp[];
	/** Names of manifests and tool configuration; `*` stands for any part of a name. */
	readonly manifests: readonly string[];
	/**
	 * True for what goes along with code of other languages (scripts, queries, configuration): a small part of a change
	 * in it goes to a neighbour, where a main language would get its own reader.
	 */
	readonly minor?: true;
	/** Names of tools, files and libraries that mean this language in a sentence; no everyday words (D-05). */
	readonly keywords: readonly string[];
	/** What a senior reviewer of this language knows; plain lines for the specialist's role text. */
	readonly guidance: string;
	/** What the repository adds to it; always told whole. */
	readonly addedGuidance?: string;
	/** Commands besides the tests that show whether code is sound, most telling first. */
	readonly checkCommands: readonly CheckCommand[];
	/**
	 * Which folder a build starts from when manifests lie in several above a file: the nearest unless this says that
	 * one build covers all below its top (Maven, Gradle, solutions).
	 */
	readonly buildRoot?: "topmost";
	/** Files above a folder that decide its commands as well, such as the lock file of a workspace. */
	readonly inherited?: readonly string[];
	/**
	 * The one command that runs the tests here, chosen by the files of the working directory; never an either-or, so
	 * that a red run is not tried again with another tool (D-07). Undefined when nothing says how.
	 * @param files paths relative to the working directory
	 */
	testCommand(files: ReadonlySet<string>): string | undefined;
}

/** The other checks that make sense in a folder; all of them when its files are not known. */
export function checkCommandsFor(profile: LanguageProfile, files?: ReadonlySet<string>): readonly string[] {
	return profile.checkCommands
		.filter(({ needs }) => files === undefined || needs === undefined || needs.some((name) => files.has(name)))
		.map(({ command }) => command);
}
