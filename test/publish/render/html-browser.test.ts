import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HtmlReportInput, renderHtmlReport } from "../../../src/publish/render/html/render-html-report.ts";
import { ATTACKS, attackInput } from "./attack-report.ts";
import { sampleInput } from "./build-report-fixtures.ts";

const CHROMIUM = "/usr/bin/chromium";
const isThere = existsSync(CHROMIUM) || process.env["CI"] !== undefined;
if (!isThere) console.warn(`no ${CHROMIUM}: the HTML report is not tested in a browser (apt-get install chromium)`);

const FLAGS = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
];

interface Opened {
	readonly page: Page;
	/** Everything the page did that a report must not do. */
	readonly incidents: readonly string[];
}

describe.runIf(isThere)("HTML report in Chromium", () => {
	let folder: string;
	let context: BrowserContext;
	let number = 0;

	beforeAll(async () => {
		folder = await mkdtemp(path.join(tmpdir(), "rookery-html-"));
		context = await launch("with-scripts", true);
	});

	afterAll(async () => {
		await context?.close();
		await rm(folder, { recursive: true, force: true });
	});

	function launch(name: string, javaScriptEnabled: boolean): Promise<BrowserContext> {
		return chromium.launchPersistentContext(path.join(folder, name), {
			executablePath: CHROMIUM,
			headless: true,
			args: FLAGS,
			javaScriptEnabled,
		});
	}

	async function open(
		input: HtmlReportInput,
		more: { readonly width?: number; readonly scheme?: "light" | "dark"; readonly context?: BrowserContext; readonly hash?: string } = {},
	): Promise<Opened> {
		number += 1;
		const file = path.join(folder, `report-${number}.html`);
		await writeFile(file, renderHtmlReport(input));
		const page = await (more.context ?? context).newPage();
		await page.setViewportSize({ width: more.width ?? 1280, height: 900 });
		await page.emulateMedia({ colorScheme: more.scheme ?? "light" });
		const incidents: string[] = [];
		page.on("dialog", (dialog) => {
			incidents.push(`dialog ${dialog.message()}`);
			void dialog.dismiss();
		});
		page.on("console", (message) => incidents.push(`console ${message.text()}`));
		page.on("pageerror", (error) => incidents.push(`error ${error.message}`));
		page.on("request", (request) => {
			if (!request.url().startsWith(pathToFileURL(file).href) && request.url() !== "data:,") incidents.push(`request ${request.url()}`);
		});
		await page.goto(pathToFileURL(file).href + (more.hash ?? ""));
		return { page, incidents };
	}

	it("A91 hostile texts open no dialog, make no request, break no policy, add no element", async () => {
		const { page, incidents } = await open(attackInput());
		await page.evaluate(() => {
			for (const element of document.querySelectorAll("details")) element.open = true;
			for (const element of document.querySelectorAll<HTMLElement>("[tabindex], summary, a, input")) {
				element.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
				element.focus();
			}
			scrollTo(0, document.documentElement.scrollHeight);
		});
		await page.waitForTimeout(300);
		expect(incidents).toEqual([]);
		const foreign = await page.evaluate(() => ({
			elements: document.querySelectorAll("body :is(img, iframe, form, base, link, style, object, embed, video)").length,
			scripts: document.querySelectorAll("script").length,
			handlers: [...document.querySelectorAll("*")].filter((element) => element.getAttributeNames().some((name) => name.startsWith("on")))
				.length,
			links: [...document.querySelectorAll("a")].filter((link) => !(link.getAttribute("href") ?? "").startsWith("#")).length,
			headings: document.querySelectorAll("h1").length,
			mains: document.querySelectorAll("main").length,
		}));
		expect(foreign).toEqual({ elements: 0, scripts: 1, handlers: 0, links: 0, headings: 1, mains: 1 });
		// The first attack stands where the run's number stands, as text.
		expect(await page.textContent("header .run")).toBe(`run ${ATTACKS[0]}`);
		await page.close();
	});

	it("A91 a script or an image that got into the page would neither run nor be fetched", async () => {
		const asked: string[] = [];
		const server = createServer((request, response) => {
			asked.push(request.url ?? "");
			response.end();
		});
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		const address = server.address();
		const origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
		const { page, incidents } = await open(sampleInput());
		await page.evaluate((host) => {
			const script = document.createElement("script");
			script.textContent = "window.ran = true";
			document.body.append(script);
			document.body.insertAdjacentHTML("beforeend", `<img src="${host}/x.png"><link rel="stylesheet" href="${host}/x.css">`);
			void fetch(`${host}/fetch`).catch(() => undefined);
		}, origin);
		await expect.poll(() => incidents.filter((incident) => incident.includes("Content Security Policy")).length).toBeGreaterThanOrEqual(4);
		expect(await page.evaluate(() => "ran" in window)).toBe(false);
		expect(asked).toEqual([]);
		await page.close();
		await new Promise((resolve) => server.close(resolve));
	});

	it("loads with no request but its own file and without an error, in both colour schemes", async () => {
		const colours: string[] = [];
		for (const scheme of ["light", "dark"] as const) {
			const { page, incidents } = await open(sampleInput(), { scheme });
			expect(incidents).toEqual([]);
			colours.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
			await page.click("[data-theme-switch]");
			colours.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
			await page.close();
		}
		expect(colours[0]).not.toBe(colours[1]);
		expect([colours[2], colours[3]]).toEqual([colours[1], colours[0]]);
	});

	it("every text has a contrast of at least 4.5 to 1 in both schemes", async () => {
		for (const scheme of ["light", "dark"] as const) {
			const { page } = await open(sampleInput(), { scheme });
			const weak = await page.evaluate(() => {
				const numbers = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number);
				const light = (colour: number[]): number => {
					const [red = 0, green = 0, blue = 0] = colour.slice(0, 3).map((part) => {
						const value = part / 255;
						return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
					});
					return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
				};
				const backgroundOf = (start: Element): number[] => {
					for (let element: Element | null = start; element !== null; element = element.parentElement) {
						const colour = numbers(getComputedStyle(element).backgroundColor);
						if (colour.length === 3 || (colour[3] ?? 0) > 0) return colour;
					}
					return [255, 255, 255];
				};
				for (const element of document.querySelectorAll("details")) element.open = true;
				return [...document.querySelectorAll("body *")].flatMap((element) => {
					const hasText = [...element.childNodes].some(
						(node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? "").trim() !== "",
					);
					if (!hasText || element.closest("svg, script, [hidden], select") !== null) return [];
					const [a, b] = [light(numbers(getComputedStyle(element).color)), light(backgroundOf(element))];
					const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
					return ratio < 4.5 ? [`${element.className || element.tagName} ${ratio.toFixed(2)}`] : [];
				});
			});
			expect([...new Set(weak)], scheme).toEqual([]);
			await page.close();
		}
	});

	it("never scrolls sideways, at 390 pixels too, with hostile texts too", async () => {
		for (const input of [sampleInput(), attackInput()]) {
			for (const width of [390, 800, 1280]) {
				const { page } = await open(input, { width });
				await page.evaluate(() => {
					for (const element of document.querySelectorAll("details")) element.open = true;
				});
				expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${width}`).toBeLessThanOrEqual(width);
				await page.close();
			}
		}
	});

	it("without scripts all is there: verdict, code, tables, timeline, journals; tools that need one are not", async () => {
		const plain = await launch("without-scripts", false);
		try {
			const { page, incidents } = await open(sampleInput(), { context: plain });
			expect(incidents).toEqual([]);
			expect(await page.textContent("h1")).toContain("One critical and two important findings");
			expect(await page.locator(".findings > li").count()).toBe(5);
			expect(await page.locator(".findings .code:visible").count()).toBeGreaterThanOrEqual(4);
			expect(await page.locator(".gantt li:visible").count()).toBe(4);
			expect(await page.locator("[data-script]:visible").count()).toBe(0);
			expect(await page.locator("summary[tabindex='-1']").count()).toBe(0);
			const journal = page.locator("#journal-moe-go-1");
			await journal.locator("> summary").click();
			await journal.locator(".tool > summary").first().click();
			expect(await journal.locator(".tool").first().textContent()).toContain("package dispatch");
			await page.close();
		} finally {
			await plain.close();
		}
	});

	it("works by keyboard: skip link first, one stop a list, arrows inside it, Enter opens", async () => {
		const { page, incidents } = await open(sampleInput());
		const focused = () =>
			page.evaluate(() => document.activeElement?.closest("li, details, a, button")?.textContent?.trim().slice(0, 60) ?? "");
		await page.keyboard.press("Tab");
		expect(await focused()).toBe("Skip to the report");
		await page.keyboard.press("Enter");
		expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
		await page.locator(".findings summary").first().focus();
		await page.keyboard.press("End");
		expect(await focused()).toContain("Nit");
		await page.keyboard.press("ArrowUp");
		expect(await focused()).toContain("Minor");
		await page.keyboard.press("Enter");
		expect(await page.locator("#finding-B8WN").getAttribute("open")).not.toBeNull();
		expect(await page.locator(".findings summary[tabindex='0']").count()).toBe(1);
		await page.keyboard.press("Home");
		expect(await focused()).toContain("Critical");
		// Code that can scroll can be reached.
		await page.keyboard.press("Tab");
		expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toContain("Diff of typescript/src/rates.ts");
		expect(incidents).toEqual([]);
		await page.close();
	});

	it("filters findings and files, and says how many are left", async () => {
		const { page } = await open(sampleInput());
		await page.uncheck("[data-severity=important][type=checkbox]");
		expect(await page.locator(".findings > li:visible").count()).toBe(3);
		expect(await page.textContent("[data-count=findings]")).toBe("3 of 5 shown");
		await page.fill("[data-find=findings]", "sql zone");
		expect(await page.locator(".findings > li:visible").count()).toBe(1);
		await page.selectOption("select[data-state]", "skipped");
		expect(await page.locator("#files tbody tr:visible").count()).toBe(1);
		expect(await page.textContent("[data-count=files]")).toBe("1 of 7 shown");
		await page.selectOption("select[data-state]", "");
		await page.fill("[data-find=files]", "rates");
		expect(await page.locator("#files tbody tr:visible").count()).toBe(2);
		await page.close();
	});

	it("a link to a finding or a journal opens it, from outside and from the page", async () => {
		const { page } = await open(sampleInput(), { hash: "#finding-B8WN" });
		expect(await page.locator("#finding-B8WN").getAttribute("open")).not.toBeNull();
		await page.click(".gantt a[href='#journal-moe-python-1']");
		await expect.poll(() => page.locator("#journal-moe-python-1").getAttribute("open")).not.toBeNull();
		await page.close();
	});

	it("on paper the findings are open, light and without the tools", async () => {
		const { page } = await open(sampleInput(), { scheme: "dark" });
		await page.emulateMedia({ media: "print" });
		expect(await page.locator(".tools:visible").count()).toBe(0);
		expect(await page.locator("nav:visible").count()).toBe(0);
		await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
		expect(await page.locator(".finding:not([open])").count()).toBe(0);
		await page.evaluate(() => dispatchEvent(new Event("afterprint")));
		expect(await page.locator(".finding:not([open])").count()).toBe(2);
		await page.close();
	});
});
