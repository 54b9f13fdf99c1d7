/** Actions of others in the generated workflows, by full commit with the version beside it. */
export const CHECKOUT = "actions/checkout@8e8c483db84b4bee98b60c0593521ed34d9990e8 # v6.0.1";
export const UPLOAD_ARTIFACT = "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2";

/** Rookery itself, as a workflow names it: `owner/name@<40 hex digits>`, with a version for readers. */
export interface ActionReference {
	readonly repository: string;
	readonly sha: string;
	readonly version: string;
}

export function renderReference(action: ActionReference): string {
	return `${action.repository}@${action.sha} # v${action.version}`;
}
