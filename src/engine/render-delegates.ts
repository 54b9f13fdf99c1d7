/** One role a primary may hand work to (S-056). */
export interface DelegateBrief {
	readonly name: string;
	readonly purpose: string;
	/** In which cases; may be path patterns. */
	readonly when?: string;
}

/**
 * The section of a primary's prompt that names the roles it can hand well-scoped work to; empty without any, so that
 * no heading stands over nothing (S-057). Texts must be on one line and without markup already.
 */
export function renderDelegates(briefs: readonly DelegateBrief[], tool: string): string {
	if (briefs.length === 0) return "";
	const lines = briefs.map((brief) => `- ${brief.name}: ${brief.purpose}${brief.when === undefined ? "" : ` When: ${brief.when}`}`);
	return [
		"# Delegates",
		`Hand well-scoped work to these roles with the ${tool} tool. Each starts fresh and sees nothing but what you write.`,
		lines.join("\n"),
	].join("\n\n");
}
