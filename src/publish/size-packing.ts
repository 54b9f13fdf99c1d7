/** GitHub's limit of one comment, review or description body. */
export const MAX_BODY_CHARS = 65_536;
/** Limit of a check run's summary. */
export const MAX_CHECK_SUMMARY_CHARS = 65_535;
/** Bytes of a step summary; GitHub drops it whole above 1,024 KiB (R25). */
export const MAX_STEP_SUMMARY_BYTES = 1_000_000;

/** A part of a body. Parts are shed by priority, items from their end; what is shed is counted. */
export interface Section {
	/** For the note that says what was left out: "findings", "files". */
	readonly name: string;
	/** 0 is never shed; the highest number goes first. */
	readonly priority: number;
	readonly head: string;
	/** Shed one by one from the end before the whole section goes; each ends without a line feed. */
	readonly items?: readonly string[];
	readonly itemSeparator?: string;
	readonly foot?: string;
}

export interface PackOptions {
	readonly limit: number;
	/** `chars` counts UTF-16 units, as GitHub's limit of bodies is safest read; `bytes` counts UTF-8. */
	readonly unit?: "chars" | "bytes";
	/** Where the rest can be read: "in the job summary". */
	readonly elsewhere: string;
}

/**
 * One function for every body (BR-43, R24): whole items, then whole sections go, lowest priority first, and a line
 * says how many. The marker and the counts stand in sections of priority 0. Whatever is passed in, the result keeps
 * the limit and its fences and details are closed.
 */
export function packSections(sections: readonly Section[], options: PackOptions): string {
	const shown = sections.map((section) => section.items?.length ?? 0);
	const whole = sections.map(() => true);
	const measure = measureOf(options.unit);
	const sizes = sections.map((section) => sizeOf(section, options));
	const render = (): string => {
		const parts = sections.flatMap((section, index) => (whole[index] === true ? [renderSection(section, shown[index] ?? 0, options)] : []));
		return [...parts.filter((part) => part !== ""), ...lostNote()].join("\n\n");
	};
	const lostNote = (): readonly string[] => {
		const lost = sections.filter((_section, index) => whole[index] !== true).map((section) => section.name);
		return lost.length === 0 ? [] : [`_Left out for length: ${lost.join(", ")}; ${options.elsewhere}._`];
	};
	const total = (): number => {
		const parts = [...sizes.map((size, index) => (whole[index] === true ? size(shown[index] ?? 0) : 0)), ...lostNote().map(measure)];
		const present = parts.filter((size) => size > 0);
		return present.reduce((sum, size) => sum + size, 0) + 2 * Math.max(0, present.length - 1);
	};
	for (const index of sheddingOrder(sections)) {
		const items = sections[index]?.items?.length ?? 0;
		if (total() <= options.limit) break;
		// Halving finds the number of items that fit, by sizes alone: the text is made once.
		let low = 0;
		let high = items;
		while (low < high) {
			const middle = Math.ceil((low + high) / 2);
			shown[index] = middle;
			if (total() <= options.limit) low = middle;
			else high = middle - 1;
		}
		shown[index] = low;
		if (low === 0) whole[index] = false;
	}
	const text = render();
	return measure(text) <= options.limit ? text : cutBalanced(text, options);
}

function renderSection(section: Section, shown: number, options: PackOptions): string {
	const items = section.items ?? [];
	const separator = section.itemSeparator ?? "\n";
	const left = items.length - shown;
	const more = left === 0 ? [] : [moreLine(section, left, options)];
	const list = items.length === 0 ? [] : [items.slice(0, shown).join(separator), ...more];
	return [section.head, ...list, section.foot ?? ""].filter((part) => part !== "").join("\n");
}

/** The size of a section by the number of its items that are shown, without rendering it; all joints are one unit a character. */
function sizeOf(section: Section, options: PackOptions): (shown: number) => number {
	const measure = measureOf(options.unit);
	const separator = measure(section.itemSeparator ?? "\n");
	const ends = [0];
	for (const item of section.items ?? []) ends.push((ends.at(-1) ?? 0) + measure(item));
	const frame = measure(renderSection({ ...section, items: [] }, 0, options));
	const hasFrame = section.head !== "" || (section.foot ?? "") !== "";
	return (shown) => {
		const left = ends.length - 1 - shown;
		const list = (ends[shown] ?? 0) + Math.max(0, shown - 1) * separator;
		const more = left === 0 ? 0 : measure(moreLine(section, left, options));
		const parts = [list, more].filter((size) => size > 0);
		return frame + parts.reduce((sum, size) => sum + size, 0) + parts.length - (hasFrame || parts.length === 0 ? 0 : 1);
	};
}

function moreLine(section: Section, left: number, options: PackOptions): string {
	return `\n_${left} more ${section.name} ${options.elsewhere}._`;
}

function sheddingOrder(sections: readonly Section[]): readonly number[] {
	return sections
		.map((section, index) => ({ priority: section.priority, index }))
		.filter((each) => each.priority > 0)
		.sort((a, b) => b.priority - a.priority || b.index - a.index)
		.map((each) => each.index);
}

function measureOf(unit: PackOptions["unit"]): (text: string) => number {
	return unit === "bytes" ? (text) => Buffer.byteLength(text) : (text) => text.length;
}

/**
 * The last resort, for text without sections: cut at a line border where one is near, never inside a surrogate pair,
 * close what is open, and say so. The start of the text (marker, verdict) always stays.
 */
export function cutBalanced(text: string, options: PackOptions): string {
	const measure = measureOf(options.unit);
	if (measure(text) <= options.limit) return closeOpen(text);
	const note = `_Cut for length; the rest is ${options.elsewhere}._`;
	let room = options.limit - measure(note) - 4;
	for (;;) {
		const kept = closeOpen(takeFront(text, Math.max(room, 0), options.unit));
		const result = `${kept}\n\n${note}`;
		if (measure(result) <= options.limit || room <= 0) return result;
		room -= measure(result) - options.limit;
	}
}

function takeFront(text: string, room: number, unit: PackOptions["unit"]): string {
	let front =
		unit === "bytes"
			? Buffer.from(text)
					.subarray(0, room)
					.toString("utf8")
					.replace(/\uFFFD+$/, "")
			: text.slice(0, room);
	if (/[\uD800-\uDBFF]$/.test(front)) front = front.slice(0, -1);
	const line = front.lastIndexOf("\n");
	// A very long line would take nearly everything with it.
	return line > front.length * 0.8 ? front.slice(0, line) : front;
}

/** Closes an open fence, then the details that are open outside fences. */
export function closeOpen(text: string): string {
	let fence = "";
	let details = 0;
	const kept: string[] = [];
	for (const line of text.split("\n")) {
		const run = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
		if (fence === "" && run !== undefined) fence = run;
		else if (fence !== "") {
			if (run !== undefined && run[0] === fence[0] && run.length >= fence.length && line.trim() === run) fence = "";
		} else {
			// Our own tags stand alone on their line; what stands in a code span is text.
			if (/^\s*<details\b/.test(line)) details += 1;
			else if (/^\s*<\/details>\s*$/.test(line)) {
				// A closing tag without its opening one would close something around this body.
				if (details === 0) continue;
				details -= 1;
			}
		}
		kept.push(line);
	}
	const ends = [...(fence === "" ? [] : [fence]), ...Array.from({ length: details }, () => "\n</details>")];
	return [kept.join("\n"), ...ends].join("\n");
}
