import { describe, expect, it } from "vitest";
import { JAVA_DECLARATIONS } from "../../src/code-index/languages/java/declarations.ts";
import { JAVA_SUPPORT } from "../../src/code-index/languages/java/java-support.ts";
import { openFiles } from "./open-files.ts";

const MAIN = "src/main/java/shop";

const FILES: Readonly<Record<string, string>> = {
	[`${MAIN}/Item.java`]: `package shop;

import java.util.List;

public class Item<T extends Tag> implements Named {
    static final int LIMIT = 3;
    private T tag;
    public Item() { this(null); }
    public Item(T tag) { this.tag = tag; }
    T getTag() { return tag; }
    public String name() { return name(LIMIT); }
    String name(int width) { return ""; }
    static Item<Tag> of(String... parts) { return new Item<>(new Tag()); }
    static class Inner { int depth; Inner next() { return this; } }
    enum Color { RED, GREEN(1) { void paint() {} }; Color(int... codes) {} void paint() {} }
    record Point(int x, int y) { Point { assert x > 0; } }
    @interface Note { String value(); int level() default 0; }
}

class Side { int side; }
`,
	[`${MAIN}/Tag.java`]: "package shop;\n\npublic class Tag { String label; void touch() {} }\n",
	[`${MAIN}/Named.java`]: "package shop;\n\npublic interface Named { String name(); default String shout() { return name(); } }\n",
	"src/main/java/app/Big.java": `package app;

import static shop.Item.LIMIT;
import static shop.Item.*;
import java.util.*;
import shop.*;
import shop.Item.Inner;

@Item.Note(value = "b", level = 2)
class Big extends Item<Big.Label> {
    static class Label extends Tag { void stick() {} }
    private final Map<String, List<Item<Tag>>> byName = new HashMap<>();
    Inner inner = new Inner();

    Big() { super(new Label()); }

    void run(List<Item<Tag>> items, Object any, Point point) {
        int label = LIMIT;
        getTag().stick();
        for (Item<Tag> item : items) item.getTag().touch();
        for (var item : byName.get("a")) item.getTag().touch();
        items.forEach(item -> item.getTag().touch());
        inner.next().next().depth = label;
        if (any instanceof Tag tag) { tag.touch(); }
        var made = of("a", "b");
        made.name(1);
        made.name();
        shout();
        Runnable task = new Runnable() { public void run() { getTag().label = super.toString(); } };
        items.stream().map(Item::name).count();
        Color color = Color.RED;
        switch (color) { case GREEN: color.paint(); break; default: break; }
        System.out.println(point.x() + new shop.Item.Inner().depth);
        unknown(any).touch();
        class Local { int touch; }
        new Local().touch++;
    }

    static <X> X unknown(Object value) { return null; }
}
`,
};

const BIG = "src/main/java/app/Big.java";
const ITEM = `${MAIN}/Item.java`;

describe("code index of java", () => {
	it("A9: the facts of a file hold every name that the declarations query finds", async () => {
		const tree = await openFiles(JAVA_SUPPORT, FILES);
		for (const file of Object.keys(FILES)) {
			const found = tree.facts(file).definitions.map(({ name, index }) => `${name}@${index}`);
			const wanted = tree.declared(file, JAVA_DECLARATIONS, []);
			expect(wanted.length).toBeGreaterThan(1);
			expect([...found].sort()).toEqual([...new Set(wanted)].sort());
		}
	});

	it("A6: types go through packages, imports, nested classes, enums and records", async () => {
		const tree = await openFiles(JAVA_SUPPORT, FILES);
		expect(tree.uses(BIG, "Inner")).toEqual([
			`import resolved ${ITEM}:14`,
			`type resolved ${ITEM}:14`,
			`call resolved ${ITEM}:14`,
			`call resolved ${ITEM}:14`,
		]);
		expect(tree.uses(BIG, "Point")).toEqual([`type resolved ${ITEM}:16`]);
		expect(tree.uses(BIG, "Note")).toEqual([`type resolved ${ITEM}:17`]);
		expect(tree.uses(BIG, "level")).toEqual([`write typed ${ITEM}:17`]);
		expect(tree.uses(BIG, "List")).toEqual(["type external", "type external"]);
		expect(tree.uses(BIG, "GREEN")).toEqual([`read typed ${ITEM}:15`]);
		expect(tree.uses(BIG, "RED")).toEqual([`read resolved ${ITEM}:15`]);
		expect(JAVA_SUPPORT.resolveModule("shop.Item", BIG, tree.context)).toEqual([ITEM]);
		expect(JAVA_SUPPORT.resolveModule("java.util.List", BIG, tree.context)).toEqual([]);
	});

	it("A6: members follow declared types, generics, elements, lambdas, patterns and the class hierarchy", async () => {
		const tree = await openFiles(JAVA_SUPPORT, FILES);
		const touch = `${MAIN}/Tag.java:3`;
		expect(tree.uses(BIG, "touch")).toEqual([
			`call typed ${touch}`,
			`call typed ${touch}`,
			`call typed ${touch}`,
			`call typed ${touch}`,
			"call unknown",
			`write typed ${BIG}:35`,
		]);
		expect(tree.uses(BIG, "stick")).toEqual([`call typed ${BIG}:11`]);
		expect(tree.uses(BIG, "depth")).toEqual([`write typed ${ITEM}:14`, `read typed ${ITEM}:14`]);
		expect(tree.uses(BIG, "shout")).toEqual([`call resolved ${MAIN}/Named.java:3`]);
		expect(tree.uses(BIG, "toString")).toEqual(["call external"]);
		expect(tree.uses(BIG, "label")).toEqual([`read resolved ${BIG}:18`, `write typed ${MAIN}/Tag.java:3`]);
		expect(tree.uses(BIG, "x")).toEqual([`call typed ${ITEM}:16`]);
		expect(tree.uses(BIG, "paint")).toEqual([`call typed ${ITEM}:15`]);
	});

	it("A6: the number of arguments chooses among overloads and constructors", async () => {
		const tree = await openFiles(JAVA_SUPPORT, FILES);
		expect(tree.uses(BIG, "name")).toEqual([`call typed ${ITEM}:12`, `call typed ${ITEM}:11`, `read resolved ${ITEM}:11+${ITEM}:12`]);
		expect(tree.uses(BIG, "of")).toEqual([`call resolved ${ITEM}:13`]);
		// `extends Item`, then `super(…)` under the name of the class, and `Item` in other places.
		expect(tree.uses(BIG, "Item").filter((use) => use.startsWith("call"))).toEqual([`call resolved ${ITEM}:9`]);
		expect(tree.uses(ITEM, "Item").filter((use) => use.startsWith("call"))).toEqual([
			`call resolved ${ITEM}:9`,
			`call resolved ${ITEM}:5+${ITEM}:9`,
		]);
	});

	it("A7: static imports reach members, single and on demand", async () => {
		const tree = await openFiles(JAVA_SUPPORT, FILES);
		expect(tree.uses(BIG, "LIMIT")).toEqual([`import resolved ${ITEM}:6`, `read resolved ${ITEM}:6`]);
	});
});
