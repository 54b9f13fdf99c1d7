/**
 * The page's one script. It only adds comfort: filters, opening of what a link points to, arrow keys in lists, the
 * choice of light or dark. Without it everything can be read and reached. It reads the page and writes text, never
 * markup; it makes no request and keeps nothing.
 */
export const SCRIPT = String.raw`"use strict";
(() => {
	const all = (selector, root = document) => [...root.querySelectorAll(selector)];
	for (const element of all("[data-script]")) element.hidden = false;

	const theme = document.querySelector("[data-theme-switch]");
	if (theme) {
		const dark = matchMedia("(prefers-color-scheme: dark)");
		const isDark = () => (document.documentElement.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
		const say = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
		theme.addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; say(); });
		dark.addEventListener("change", say);
		say();
	}

	const count = (name, shown, total) => {
		const output = document.querySelector('[data-count="' + name + '"]');
		if (output) output.textContent = shown === total ? total + " shown" : shown + " of " + total + " shown";
	};
	const items = all(".findings > li").map((element) => ({ element, text: element.textContent.toLowerCase() }));
	const boxes = all("[data-severity][type=checkbox]");
	const findFindings = document.querySelector('[data-find="findings"]');
	const filterFindings = () => {
		const wanted = new Set(boxes.filter((box) => box.checked).map((box) => box.dataset.severity));
		const words = findFindings.value.toLowerCase().split(/\s+/).filter(Boolean);
		let shown = 0;
		for (const item of items) {
			const show = wanted.has(item.element.dataset.severity) && words.every((word) => item.text.includes(word));
			item.element.hidden = !show;
			if (show) shown += 1;
		}
		count("findings", shown, items.length);
		for (const list of all("[data-roving]")) settle(list);
	};
	if (findFindings) {
		findFindings.addEventListener("input", filterFindings);
		for (const box of boxes) box.addEventListener("change", filterFindings);
		for (const button of all("[data-all]")) {
			button.addEventListener("click", () => {
				for (const item of items) if (!item.element.hidden) item.element.firstElementChild.open = button.dataset.all === "open";
			});
		}
	}

	const rows = all("#files tbody tr").map((element) => ({ element, text: element.textContent.toLowerCase() }));
	const findFiles = document.querySelector('[data-find="files"]');
	const state = document.querySelector("[data-state]:is(select)");
	const filterFiles = () => {
		const words = findFiles.value.toLowerCase().split(/\s+/).filter(Boolean);
		let shown = 0;
		for (const row of rows) {
			const show = (state.value === "" || row.element.dataset.state === state.value) && words.every((word) => row.text.includes(word));
			row.element.hidden = !show;
			if (show) shown += 1;
		}
		count("files", shown, rows.length);
	};
	if (findFiles) {
		findFiles.addEventListener("input", filterFiles);
		state.addEventListener("change", filterFiles);
		filterFiles();
	}

	// One stop of the tab key a list; arrows, Home and End move inside it.
	const heads = (list) => all(":scope > li > details > summary, :scope > details > summary", list).filter((head) => head.closest("[hidden]") === null);
	const settle = (list, chosen) => {
		const visible = heads(list);
		const current = chosen || visible.find((head) => head.tabIndex === 0) || visible[0];
		for (const head of visible) head.tabIndex = head === current ? 0 : -1;
	};
	for (const list of all("[data-roving]")) {
		for (const head of heads(list)) head.tabIndex = -1;
		settle(list);
		list.addEventListener("focusin", (event) => {
			if (heads(list).includes(event.target)) settle(list, event.target);
		});
		list.addEventListener("keydown", (event) => {
			const visible = heads(list);
			const index = visible.indexOf(event.target);
			if (index === -1 || event.altKey || event.ctrlKey || event.metaKey) return;
			const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: visible.length - 1 }[event.key];
			if (target === undefined) return;
			event.preventDefault();
			const head = visible[Math.min(visible.length - 1, Math.max(0, target))];
			settle(list, head);
			head.focus();
		});
	}
	if (findFindings) filterFindings();

	// A link into something closed opens it first.
	const reveal = () => {
		const id = location.hash.slice(1);
		const target = id === "" ? null : document.getElementById(id);
		if (!target) return;
		for (let element = target; element; element = element.parentElement) if (element.tagName === "DETAILS") element.open = true;
		target.scrollIntoView();
		const head = target.querySelector(":scope > summary");
		if (head) head.focus({ preventScroll: true });
	};
	addEventListener("hashchange", reveal);
	reveal();

	// Everything is on paper; afterwards it is as it was.
	let closed = [];
	addEventListener("beforeprint", () => {
		closed = all(".findings details:not([open]), .words:not([open])");
		for (const element of closed) element.open = true;
	});
	addEventListener("afterprint", () => { for (const element of closed) element.open = false; });
})();
`;
