import { describe, expect, it } from "vitest";
import { GO_DECLARATIONS } from "../../src/code-index/languages/go/declarations.ts";
import { GO_SUPPORT } from "../../src/code-index/languages/go/go-support.ts";
import { openFiles } from "./open-files.ts";

const FILES: Readonly<Record<string, string>> = {
	"go.mod": "module example.org/shop\n\ngo 1.24\n",
	"store/store.go": `package store

import "time"

type Clock interface{ Now() time.Time }

type base struct{ id int }

func (b *base) ID() int { return b.id }

type Store struct {
	*base
	clock Clock
	items map[string]*Item
	now   time.Time
}

type Item struct{ Name string; next *Item }

func (i *Item) Next() *Item { return i.next }

func New(clock Clock) (*Store, error) { return &Store{clock: clock, items: map[string]*Item{Default: {Name: "x"}}}, nil }

const Default = "d"

func (s *Store) Get(name string) *Item { return s.items[name] }
`,
	"store/other.go":
		"package store\n\nfunc (s *Store) first(Item int) int {\n\tfor _, it := range s.items {\n\t\t_ = it.Next().Name\n\t}\n\treturn Item + s.id\n}\n",
	"store/v1/api.go": "package v1\n\ntype Api struct{ Name string }\n",
	"cmd/main.go": `package main

import (
	"fmt"
	shop "example.org/shop/store"
	"example.org/shop/store/v1"
	"example.org/elsewhere/store"
)

type named struct{ Name string }

func main() {
	s, err := shop.New(nil)
	if err != nil {
		return
	}
	fmt.Println(s.Get("a").Next().Name, s.ID(), shop.Default)
	var n any = s
	switch t := n.(type) {
	case *shop.Item:
		_ = t.Name
	case named:
		_ = t.Name
	}
	api := v1.Api{Name: "b"}
	api.Name = store.Get("c").Name
	unknown(func(x interface{ Name() }) { x.Name() })
}

func unknown(f func(interface{ Name() })) {}

func get[T any](list []T) T { return list[0] }

func generic() { _ = get([]shop.Item{}).Name }
`,
	"tools/go.mod": "module example.org/tools\n",
	"tools/gen/gen.go": "package gen\n\nfunc Run() {}\n",
	"tools/main.go": 'package main\n\nimport . "example.org/tools/gen"\n\nfunc main() { Run() }\n',
};

describe("code index of go", () => {
	it("A9: the facts of a file hold every name that the declarations query finds", async () => {
		const tree = await openFiles(GO_SUPPORT, FILES);
		for (const file of ["store/store.go", "store/other.go", "cmd/main.go"]) {
			const found = tree.facts(file).definitions.map(({ name, index }) => `${name}@${index}`);
			const wanted = tree.declared(file, GO_DECLARATIONS, ["package", "import"]);
			expect(wanted.length).toBeGreaterThan(3);
			expect(found.filter((one) => !one.startsWith("_@")).sort()).toEqual([...new Set(wanted)].sort());
		}
	});

	it("A4: names go through packages, aliases of imports, several modules and dot imports", async () => {
		const tree = await openFiles(GO_SUPPORT, FILES);
		expect(tree.uses("cmd/main.go", "New")).toEqual(["call resolved store/store.go:22"]);
		expect(tree.uses("cmd/main.go", "Default")).toEqual(["read resolved store/store.go:24"]);
		expect(tree.uses("cmd/main.go", "Api")).toEqual(["type resolved store/v1/api.go:3"]);
		expect(tree.uses("cmd/main.go", "Println")).toEqual(["call external"]);
		expect(tree.uses("tools/main.go", "Run")).toEqual(["call resolved tools/gen/gen.go:3"]);
		expect(tree.uses("store/store.go", "Default")).toEqual(["write resolved store/store.go:24"]);
		expect(GO_SUPPORT.resolveModule("example.org/tools/gen", "cmd/main.go", tree.context)).toEqual(["tools/gen/gen.go"]);
		expect(GO_SUPPORT.resolveModule("example.org/elsewhere/gen", "cmd/main.go", tree.context)).toEqual([]);
	});

	it("A4: members follow receivers, results, tuples, elements, literals, embedding and type switches", async () => {
		const tree = await openFiles(GO_SUPPORT, FILES);
		expect(tree.uses("cmd/main.go", "Get")).toEqual(["call typed store/store.go:26", "call external"]);
		expect(tree.uses("cmd/main.go", "Next")).toEqual(["call typed store/store.go:20"]);
		expect(tree.uses("cmd/main.go", "ID")).toEqual(["call typed store/store.go:9"]);
		expect(tree.uses("cmd/main.go", "Name")).toEqual([
			"read typed store/store.go:18",
			"read typed store/store.go:18",
			"read typed cmd/main.go:10",
			"write typed store/v1/api.go:3",
			"write typed store/v1/api.go:3",
			"read external",
			"call typed cmd/main.go:27",
			"read unknown",
		]);
		expect(tree.uses("store/store.go", "Name")).toEqual(["write typed store/store.go:18"]);
		expect(tree.uses("store/other.go", "Next")).toEqual(["call typed store/store.go:20"]);
		expect(tree.uses("store/other.go", "id")).toEqual(["read typed store/store.go:7"]);
	});

	it("A4: a local name hides the package's, and is no use of it", async () => {
		const tree = await openFiles(GO_SUPPORT, FILES);
		expect(tree.uses("store/other.go", "Item")).toEqual(["read resolved store/other.go:3"]);
	});

	it("calls carry their number of arguments, definitions their parameters and owner", async () => {
		const tree = await openFiles(GO_SUPPORT, {
			"a.go": "package a\n\nfunc (t *T) F(a, b int, rest ...string) (int, error) { return t.F(1, 2, r...) }\n",
		});
		const facts = tree.facts("a.go");
		expect(facts.definitions[1]).toMatchObject({
			name: "F",
			kind: "method",
			owner: "T",
			exported: true,
			parameters: { required: 2, optional: 0, variadic: true, names: ["a", "b", "rest"] },
			type: { form: "annotation", text: "(int, error)" },
			signature: "func (t *T) F(a, b int, rest ...string) (int, error)",
		});
		expect(facts.occurrences.find(({ role }) => role === "call")).toMatchObject({
			name: "F",
			line: 3,
			column: 64,
			receiver: "t",
			arguments: { count: 3, spread: true },
			enclosing: 1,
		});
	});
});
