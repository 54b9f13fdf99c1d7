/** What one sandboxed process may see and do. Everything that is not named here is not there. */
export interface SandboxSpec {
	/** Absolute path of the tree; it has the same path inside. */
	readonly root: string;
	readonly writable: boolean;
	/** Read-only view of the history for commands; without it git finds no repository. */
	readonly git?: GitPlaces;
	/** Repository paths that are hidden from every process: secrets by their name, paths the policy denies (S-110). */
	readonly hiddenPaths?: readonly string[];
	/** Repository paths that stay read-only in a writable tree (S-111). */
	readonly readOnlyPaths?: readonly string[];
	/** What the workflow has installed, read-only. */
	readonly binds?: readonly ReadOnlyBind[];
	/** Folders of programs to look in before the system's, absolute paths inside. */
	readonly path?: readonly string[];
	/** Size of the folder for temporary files, in bytes; only kept where the version can (0.8). */
	readonly temporaryBytes?: number;
}

export interface GitPlaces {
	/** The worktree's own folder below `worktrees/`, or the common directory itself. */
	readonly gitDirectory: string;
	readonly commonDirectory: string;
}

export interface ReadOnlyBind {
	readonly host: string;
	/** Absolute path inside. */
	readonly inside: string;
}

/** Where the parts of the program lie inside. */
export const INSIDE = { node: "/opt/rookery/bin/node", code: "/opt/rookery/code", home: "/tmp/home" } as const;
