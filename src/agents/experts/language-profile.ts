/** A language the router knows: which files are its, how it is tested, and what its specialist looks for. */
export interface LanguageProfile {
	/** `go`, `rust`, …: used in settings, sessions and reports. */
	readonly id: string;
	readonly displayName: string;
	/** With their dot, lower case. */
	readonly extensions: readonly string[];
	/** Whole file names, compared as written. */
	readonly filenames: readonly string[];
	/** Names of manifests and tool configuration; `*` stands for any part of a name. */
	readonly manifests: readonly string[];
	/** Names of tools, files and libraries that mean this language in a sentence; no everyday words (D-05). */
	readonly keywords: readonly string[];
	/** What a senior reviewer of this language knows; plain lines for the specialist's role text. */
	readonly guidance: string;
	/** What the repository adds to it; always told whole. */
	readonly addedGuidance?: string;
	/** Commands besides the tests that show whether code is sound, most telling first. */
	readonly checkCommands: readonly string[];
	/**
	 * The one command that runs the tests here, chosen by the files of the working directory; never an either-or, so
	 * that a red run is not tried again with another tool (D-07). Undefined when nothing says how.
	 * @param files paths relative to the working directory
	 */
	testCommand(files: ReadonlySet<string>): string | undefined;
}
