import { describe, expect, it } from "vitest";
import { RUST_DECLARATIONS } from "../../src/code-index/languages/rust/declarations.ts";
import { RUST_SUPPORT } from "../../src/code-index/languages/rust/rust-support.ts";
import { openFiles } from "./open-files.ts";

const FILES: Readonly<Record<string, string>> = {
	"Cargo.toml": '[workspace]\nmembers = ["shop", "app"]\n',
	"shop/Cargo.toml": '[package]\nname = "my-shop"\nversion = "1.0.0"\n',
	"shop/src/lib.rs": `pub mod item;
mod store;
pub use store::{Store as Shop, open};
pub const LIMIT: usize = 3;
cfg_io! {
    pub mod net {
        pub fn send(n: usize) -> crate::item::Item { crate::item::Item::new(n) }
        pub trait Wire { fn wire(&self) {} }
        impl Wire for super::item::Item {}
    }
}
`,
	"shop/src/item.rs": `use super::LIMIT;

#[derive(Clone)]
pub struct Item { pub id: usize, next: Option<Box<Item>> }

impl Item {
    pub fn new(id: usize) -> Self { Item { id, next: None } }
    pub fn next(&self) -> Option<&Item> { self.next.as_deref() }
    pub fn limit(&self) -> usize { LIMIT + Self::BASE }
    const BASE: usize = 1;
}

pub enum Kind { Small, Big { size: usize }, Held(Item) }

pub trait Named { fn name(&self) -> String; fn shout(&self) -> String { self.name() } }

impl Named for Item { fn name(&self) -> String { assert_eq!(self.id, LIMIT); String::new() } }
`,
	"shop/src/store.rs": `use crate::item::{self, Item, Kind::*, Named};
use std::sync::Arc;

pub struct Store { items: Vec<Item>, first: Arc<Item> }

pub fn open() -> Result<Store, std::io::Error> { todo!() }

impl Store {
    pub fn find(&self, id: usize) -> Option<Item> {
        for item in self.items.iter() {
            if item.id == id { return Some(item.clone()); }
        }
        let first = Arc::new(item::Item::new(1));
        first.limit();
        self.first.shout();
        match kind() { Small => 1, Big { size } => size, Held(_) => 2 };
        None
    }
}

fn kind() -> item::Kind { Small }

fn generic<T: Named>(value: T) -> String { value.name() }

mod tests {
    use super::*;

    fn id() { let id = 1; let found = open().unwrap().find(id).unwrap(); println!("{}", found.next().unwrap().id); unknown().limit(); }
}
`,
	"app/Cargo.toml": '[package]\nname = "app"\n',
	"app/src/main.rs": `mod deep;
use my_shop::{item::Item, net::Wire, Shop};

fn main() {
    let shop: Shop = my_shop::open().unwrap();
    let Some(item) = shop.find(my_shop::LIMIT) else { return };
    item.wire();
    deep::inner::run(&item);
    my_shop::net::send(1).next();
}
`,
	"app/src/deep/mod.rs": "pub mod inner;\n",
	"app/src/deep/inner.rs": "use crate::Item as Thing;\n\npub fn run(thing: &Thing) -> usize { thing.id + super::super::Shop::count() }\n",
};

const ITEM = "shop/src/item.rs";
const STORE = "shop/src/store.rs";
const MAIN = "app/src/main.rs";

describe("code index of rust", () => {
	it("A9: the facts of a file hold every name that the declarations query finds", async () => {
		const tree = await openFiles(RUST_SUPPORT, FILES);
		for (const file of [ITEM, STORE, MAIN, "app/src/deep/inner.rs"]) {
			const found = new Set(tree.facts(file).definitions.map(({ name, index }) => `${name}@${index}`));
			const wanted = tree.declared(file, RUST_DECLARATIONS, ["import"]);
			expect(wanted.length).toBeGreaterThan(1);
			expect(wanted.filter((one) => !found.has(one))).toEqual([]);
		}
	});

	it("A8: items in macro bodies are facts of the file, at their places", async () => {
		const tree = await openFiles(RUST_SUPPORT, FILES);
		const text = FILES["shop/src/lib.rs"] ?? "";
		const found = tree.facts("shop/src/lib.rs").definitions.filter(({ line }) => line > 5);
		expect(found.map(({ name, kind, line }) => `${kind} ${name} ${line}`)).toEqual([
			"module net 6",
			"function send 7",
			"parameter n 7",
			"trait Wire 8",
			"method wire 8",
		]);
		for (const { name, index } of found) expect(text.slice(index, index + name.length)).toBe(name);
		expect(tree.uses(ITEM, "LIMIT").at(-1)).toBe("read resolved shop/src/lib.rs:4");
	});

	it("A8: items in nested calls and after characters of two units are found where they stand", async () => {
		const text =
			'// é😀\ncfg_rt! { pub fn one() {}\n\tinner! { struct Two { three: u8 } }\n}\nimpl X { cfg! { fn four(&self) { go!({ let five = 5; }) } } }\nlog!("fn no");\nm!(a => fn six() {});\n';
		const tree = await openFiles(RUST_SUPPORT, { "src/lib.rs": text });
		const { definitions } = tree.facts("src/lib.rs");
		expect(definitions.map(({ name }) => name)).toEqual(["one", "Two", "three", "four", "five", "six"]);
		for (const { name, index, line, column } of definitions) {
			expect(text.slice(index, index + name.length)).toBe(name);
			expect(text.split("\n")[line - 1]?.slice(column).startsWith(name)).toBe(true);
		}
	});

	it("A7: fields without names are known by their positions, in structs and in patterns of variants", async () => {
		const text =
			"struct A; impl A { fn go(&self) {} }\nstruct P(u8, A);\nenum E { Held(A), Empty }\nfn f(p: P, e: E) { p.1.go(); p.0.go(); match e { E::Held(a) => a.go(), E::Empty => {} } }\n";
		const tree = await openFiles(RUST_SUPPORT, { "src/lib.rs": text });
		expect(tree.uses("src/lib.rs", "go")).toEqual(["call typed src/lib.rs:1", "call external", "call typed src/lib.rs:1"]);
	});

	it("A7: names go through use trees, renames, globs, files of modules and crates of the work space", async () => {
		const tree = await openFiles(RUST_SUPPORT, FILES);
		expect(tree.uses(MAIN, "Shop")).toEqual([`import resolved ${STORE}:4`, `type resolved ${STORE}:4`]);
		expect(tree.uses(MAIN, "open")).toEqual([`call resolved ${STORE}:6`]);
		expect(tree.uses(MAIN, "LIMIT")).toEqual(["read resolved shop/src/lib.rs:4"]);
		expect(tree.uses(MAIN, "run")).toEqual(["call resolved app/src/deep/inner.rs:3"]);
		expect(tree.uses("app/src/deep/inner.rs", "Thing")).toEqual([`type resolved ${ITEM}:4`]);
		expect(tree.uses(STORE, "Item").slice(0, 2)).toEqual([`import resolved ${ITEM}:4`, `type resolved ${ITEM}:4`]);
		expect(tree.uses(STORE, "Small")).toEqual([`read resolved ${ITEM}:13`, `read resolved ${ITEM}:13`]);
		expect(tree.uses(STORE, "Arc")[0]).toBe("import external");
		expect(RUST_SUPPORT.resolveModule("my_shop::item", MAIN, tree.context)).toEqual([ITEM]);
	});

	it("A7: members follow fields, results, wrappers, patterns, bounds and traits", async () => {
		const tree = await openFiles(RUST_SUPPORT, FILES);
		expect(tree.uses(STORE, "id")).toEqual([
			`read typed ${ITEM}:4`,
			`read resolved ${STORE}:9`,
			`read resolved ${STORE}:28`,
			`read typed ${ITEM}:4`,
		]);
		expect(tree.uses(STORE, "limit")).toEqual([`call typed ${ITEM}:9`, "call unknown"]);
		expect(tree.uses(STORE, "shout")).toEqual([`call typed ${ITEM}:15`]);
		expect(tree.uses(STORE, "name")).toEqual([`call typed ${ITEM}:15`]);
		expect(tree.uses(STORE, "size")).toEqual([`read typed ${ITEM}:13`, `read resolved ${STORE}:16`]);
		expect(tree.uses(STORE, "find")).toEqual([`call typed ${STORE}:9`]);
		expect(tree.uses(MAIN, "find")).toEqual([`call typed ${STORE}:9`]);
		expect(tree.uses(MAIN, "wire")).toEqual(["call typed shop/src/lib.rs:8"]);
		expect(tree.uses(MAIN, "next")).toEqual([`call typed ${ITEM}:8`]);
		expect(tree.uses(ITEM, "BASE")).toEqual([`read resolved ${ITEM}:10`]);
		expect(tree.uses(ITEM, "id")).toEqual([`write typed ${ITEM}:4`, `read resolved ${ITEM}:7`, `read typed ${ITEM}:4`]);
	});
});
