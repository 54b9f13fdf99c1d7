/** Folder and artifact name of a run, the same wherever it is made. */
export function nameRun(runId: string, attempt: number): string {
	return `run-${runId}-${attempt}`.toLowerCase().replace(/[^a-z0-9-]/g, "-");
}
