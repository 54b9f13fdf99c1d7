/** One thing that was looked at. */
export interface DoctorCheck {
	readonly name: string;
	readonly state: "ok" | "warn" | "fail";
	readonly text: string;
	/** The exact lines to add, or the command to run. */
	readonly fix?: readonly string[];
}
