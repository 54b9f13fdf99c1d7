import { type ActionReference, CHECKOUT, renderReference, UPLOAD_ARTIFACT } from "./pinned-actions.ts";

/** A GitHub expression; written apart so that it is no template string of ours. */
export function expression(text: string): string {
	return `\${{ ${text} }}`;
}

/** The whole history and no credentials left behind. */
export const CHECKOUT_STEP = `      - name: Check the repository out
        uses: ${CHECKOUT}
        with:
          fetch-depth: 0 # the merge base must be there
          persist-credentials: false`;

/** @param inputs lines of the `with` block, without indentation */
export function rookeryStep(action: ActionReference, name: string, inputs: readonly string[]): string {
	return [
		`      - name: ${name}`,
		"        id: rookery",
		`        uses: ${renderReference(action)}`,
		...(inputs.length === 0 ? [] : ["        with:", ...inputs.map((line) => `          ${line}`)]),
	].join("\n");
}

/** Journals, audit and report, under the name by which later commands find them. @param suffix for a job that runs a part of a review */
export function uploadStep(suffix: string): string {
	return `      - name: Keep journals, audit and report
        if: ${expression("!cancelled() && steps.rookery.outputs.journals != ''")}
        uses: ${UPLOAD_ARTIFACT}
        with:
          name: rookery-run-${expression("github.run_id")}-${expression("github.run_attempt")}${suffix}
          path: |
            ${expression("runner.temp")}/rookery/sessions
            ${expression("runner.temp")}/rookery/audit
            ${expression("runner.temp")}/rookery/reports
          if-no-files-found: ignore
          retention-days: 14`;
}

/** What a working job leaves for the one that publishes; two files of JSON. @param shard number, or an expression for it */
export function outboxStep(shard: string): string {
	return `      - name: Leave the outbox
        if: ${expression("!cancelled() && steps.rookery.outputs.outbox != ''")}
        uses: ${UPLOAD_ARTIFACT}
        with:
          name: rookery-outbox-${shard}-${expression("github.run_attempt")}
          path: ${expression("steps.rookery.outputs.outbox")}
          if-no-files-found: error
          retention-days: 7`;
}

export const KEY_INPUT = `anthropic-api-key: ${expression("secrets.ANTHROPIC_API_KEY")} # without it, the offline analyst reviews at no cost`;

export const UPLOAD_STEP = uploadStep("");

/** The same provider for jobs that hold no key as for those that do. */
export const PROVIDER_INPUT = `provider: ${expression("secrets.ANTHROPIC_API_KEY != '' && 'anthropic' || 'offline'")}`;
