import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseComment, parseEditedComment } from "../../src/intake/parse-command.ts";

const names = { commands: ["explore", "review", "fix", "help"], handle: "rookery" };
const bot = { ...names, handle: "bot" };

function run(text: string): readonly string[] {
	return parseComment(text, names).commands.map((command) => `${command.name}|${command.text}`);
}

describe("parseComment", () => {
	it.each([
		"To start it, write:\n\n```\n/explore the cache\n```\nor `/explore the cache` inline, or\n~~~\n/explore x\n~~~\n",
		"~~~~text\n~~~\n/explore x\n~~~\n/explore y\n~~~~",
		"```\n/explore never closed",
		"````md\n```\n/explore inner\n```\n````",
		"    /explore indented",
		"\t/explore tabbed",
		"text `open\n/explore in a span over lines`",
		"- ```\n  /explore\n  ```",
		"1. see\n\n   ```sh\n   /explore\n   ```",
		"<!-- \n/explore hidden\n-->",
		"<!-- /explore hidden",
		"``/explore``",
	])("BR-21 a command in code or hidden text is not run: %j", (text) => {
		expect(run(text)).toEqual([]);
	});

	it("BR-21 what stands after the code is run, and a fence needs an end of its own kind and length", () => {
		expect(run("```\n/fix\n```\n/explore x")).toEqual(["explore|x"]);
		expect(run("- ```\n  code\n  ```\n/explore x")).toEqual(["explore|x"]);
		expect(run("~~~\n```\n~~~\n/explore x")).toEqual(["explore|x"]);
		expect(run("```inline``` is no fence\n/explore x")).toEqual(["explore|x"]);
		expect(run("write `<!--` to hide it\n/explore x")).toEqual(["explore|x"]);
		expect(run("<!-- note -->\n/explore x <!-- secret --> y")).toEqual(["explore|x  y"]);
	});

	it("BR-21 a comment that is one command in code marks gets a hint, never a run", () => {
		expect(parseComment("`/explore the cache`", names)).toMatchObject({ commands: [], quotedCommand: "explore" });
		expect(parseComment("`some code`", names).quotedCommand).toBeUndefined();
	});

	it.each([
		"Thanks, looks fine now.\n\nOn Mon, 3 Mar 2025 at 10:00, user-a <reply+abc@example.invalid> wrote:\n> /explore why is the cache cold\n> > /explore older one",
		"Yes.\n\nOn Mon, 3 Mar 2025 at 10:00, user-a\n<reply+abc@example.invalid> wrote:\n\n/explore top-posted text without marks",
		"ok\n-----Original Message-----\n/explore x",
		"ok\nFrom: user-a\nSent: Monday\n/explore x",
		"> /explore x",
		"   > > /explore x",
		"- > /explore x",
		"> ```\n> /explore x\n> ```",
	])("A11 BR-22 a quoted or mailed reply does not run it again: %j", (text) => {
		expect(run(text)).toEqual([]);
	});

	it("BR-22 a command above the quote is run, without the quote in its text", () => {
		expect(run("> old\n\n/explore why\n\n> /fix\n\nOn 3 Mar 2025, user-a wrote:\n/fix")).toEqual(["explore|why"]);
	});

	it("BR-23 line ends of every kind", () => {
		expect(run("/explore\r\n\r\n")).toEqual(["explore|"]);
		expect(run("/explore cold start\r\nPlease look at boot.ts too.\r\n")).toEqual(["explore|cold start\nPlease look at boot.ts too."]);
		expect(run("Hi\r\n/explore\r\n/help\r\n")).toEqual(["explore|", "help|"]);
		expect(run("/explore a\r/help")).toEqual(["explore|a", "help|"]);
	});

	it("BR-24 the argument goes on to the next command or the end", () => {
		expect(run("/explore where is the retry budget set?\nContext: it fails on the second attempt.\n\n- see client.ts\n/help")).toEqual([
			"explore|where is the retry budget set?\nContext: it fails on the second attempt.\n\n- see client.ts",
			"help|",
		]);
		expect(run("/explore why?\n```\nstack\n/fix\n```\n`x`")).toEqual(["explore|why?\n```\nstack\n/fix\n```\n`x`"]);
	});

	it.each(["/explore", "  /explore x", "Hi\n/explore x", "/Explore x", "/rookery explore x", "/rookery  explore"])(
		"BR-25 runs %j",
		(text) => {
			expect(parseComment(text, names).commands.map((command) => command.name)).toEqual(["explore"]);
		},
	);

	it.each([
		"/explorer",
		"see src/explore.ts",
		"please run /explore for me",
		"a/explore b",
		"//explore",
		"/Explored",
		"https://x.invalid/explore",
		"/explore/x",
		"/explore: x",
		"/rookery-two explore",
		"/rookery explorer",
	])("BR-25 ignores %j", (text) => {
		expect(run(text)).toEqual([]);
	});

	it("BR-25 names the nearest command of a misspelled one, and none of a far one", () => {
		expect(parseComment("/explor x", names).unknown).toEqual([{ name: "explor", nearest: "explore" }]);
		expect(parseComment("/deploy-all x", names).unknown).toEqual([{ name: "deploy-all", nearest: undefined }]);
	});

	it("BR-26 a text with our own marker is never a command", () => {
		expect(run("<!-- rookery:summary -->\n/explore x")).toEqual([]);
	});

	it.each(["@bot help", "(@bot) look", '"@bot?"', "cc:@bot", "@Bot", "@bot、見て", "@bot야 도와줘", "hey @bot.", "@bot[bot] hi"])(
		"BR-27 %j mentions us",
		(text) => {
			expect(parseComment(text, bot).commands.map((command) => command.name)).toEqual(["ask"]);
		},
	);

	it.each(["me@bot.dev", "@bot-two hi", "@botany", "x@bot", "`@bot`", "> @bot", "@bot.dev", "@@bot"])("BR-27 %j does not", (text) => {
		expect(parseComment(text, bot).commands).toEqual([]);
	});

	it("BR-27 a mention asks with the whole visible text, and a command goes before it", () => {
		expect(parseComment("@rookery, why is this slow?\nSee `a.ts`.\n> quoted", names).commands).toEqual([
			{ name: "ask", text: "why is this slow?\nSee `a.ts`." },
		]);
		expect(run("/explore what @rookery does")).toEqual(["explore|what @rookery does"]);
	});

	it("BR-28 an edit runs only what it brought in", () => {
		expect(parseEditedComment("/explore cold start (typo fixed)", "/explore cold start", names).commands).toEqual([]);
		expect(parseEditedComment("/explore x\n/fix y", "/explore x", names).commands).toEqual([{ name: "fix", text: "y" }]);
	});

	it("takes any text without throwing, in linear time", () => {
		fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), (text) => Array.isArray(parseComment(text, names).commands)));
		const started = performance.now();
		for (const sign of ["`", "~", "> ", "- ", "<!--", "@rookery-", "On 1 ", "\n/x", "`a``b"])
			parseComment(sign.repeat(60_000 / sign.length), names);
		expect(performance.now() - started).toBeLessThan(5_000);
	});
});
