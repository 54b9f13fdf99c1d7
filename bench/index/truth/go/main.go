// Prints what the Go type checker says about every name of a work tree: one JSON object a line for each object that
// the tree declares at package level, for each method and for each field, with the places of all its uses.
//
// Usage: go run . ROOT >truth.jsonl. Places are "path:offset", offsets in bytes. Every module below ROOT is loaded
// with its tests; packages with errors are kept, for what was checked in them.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
)

type entry struct {
	Name string   `json:"name"`
	Kind string   `json:"kind"`
	At   string   `json:"at"`
	Refs []string `json:"refs"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run . ROOT")
		os.Exit(2)
	}
	root, err := filepath.Abs(os.Args[1])
	if err != nil {
		fail(err)
	}
	collected := &collector{root: root, entries: map[string]*entry{}, refs: map[string]map[string]bool{}}
	for _, module := range modules(root) {
		if err := collected.load(module); err != nil {
			fail(err)
		}
	}
	collected.print()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func modules(root string) []string {
	var found []string
	_ = filepath.WalkDir(root, func(path string, item fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if item.IsDir() && (item.Name() == "node_modules" || item.Name() == "vendor" || item.Name() == ".git") {
			return filepath.SkipDir
		}
		if item.Name() == "go.mod" {
			found = append(found, filepath.Dir(path))
		}
		return nil
	})
	return found
}

type collector struct {
	root    string
	entries map[string]*entry
	refs    map[string]map[string]bool
}

func (c *collector) load(module string) error {
	config := &packages.Config{
		Dir:   module,
		Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
			packages.NeedImports | packages.NeedDeps,
	}
	loaded, err := packages.Load(config, "./...")
	if err != nil {
		return err
	}
	errors := 0
	for _, one := range loaded {
		errors += len(one.Errors)
		c.collect(one)
	}
	fmt.Fprintf(os.Stderr, "%s: %d packages, %d errors\n", module, len(loaded), errors)
	return nil
}

func (c *collector) place(files *token.FileSet, at token.Pos) string {
	position := files.Position(at)
	relative, err := filepath.Rel(c.root, position.Filename)
	if err != nil || strings.HasPrefix(relative, "..") {
		return ""
	}
	return fmt.Sprintf("%s:%d", filepath.ToSlash(relative), position.Offset)
}

func (c *collector) collect(one *packages.Package) {
	for name, object := range one.TypesInfo.Defs {
		if object == nil || name.Name == "_" {
			continue
		}
		kind := kindOf(object)
		at := c.place(one.Fset, object.Pos())
		if kind == "" || at == "" {
			continue
		}
		if c.entries[at] == nil {
			c.entries[at] = &entry{Name: object.Name(), Kind: kind, At: at}
		}
	}
	for name, object := range one.TypesInfo.Uses {
		c.use(one, name, object)
	}
}

func (c *collector) use(one *packages.Package, name *ast.Ident, object types.Object) {
	object = origin(object)
	if kindOf(object) == "" {
		return
	}
	at, from := c.place(one.Fset, object.Pos()), c.place(one.Fset, name.Pos())
	if at == "" || from == "" || at == from {
		return
	}
	if c.refs[at] == nil {
		c.refs[at] = map[string]bool{}
	}
	c.refs[at][from] = true
}

// origin is the declaration of which an instantiated method or field is a copy.
func origin(object types.Object) types.Object {
	switch object := object.(type) {
	case *types.Func:
		return object.Origin()
	case *types.Var:
		return object.Origin()
	}
	return object
}

func kindOf(object types.Object) string {
	switch object := object.(type) {
	case *types.Func:
		if object.Type().(*types.Signature).Recv() != nil {
			return "method"
		}
		return "function"
	case *types.Var:
		if object.IsField() {
			return "field"
		}
		if object.Parent() != nil && object.Pkg() != nil && object.Parent() == object.Pkg().Scope() {
			return "variable"
		}
	case *types.Const:
		if object.Parent() != nil && object.Pkg() != nil && object.Parent() == object.Pkg().Scope() {
			return "constant"
		}
	case *types.TypeName:
		if object.Parent() != nil && object.Pkg() != nil && object.Parent() == object.Pkg().Scope() {
			return "type"
		}
	}
	return ""
}

func (c *collector) print() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	places := make([]string, 0, len(c.entries))
	for at := range c.entries {
		places = append(places, at)
	}
	sort.Strings(places)
	encoder := json.NewEncoder(out)
	for _, at := range places {
		one := c.entries[at]
		one.Refs = make([]string, 0, len(c.refs[at]))
		for from := range c.refs[at] {
			one.Refs = append(one.Refs, from)
		}
		sort.Strings(one.Refs)
		_ = encoder.Encode(one)
	}
}
