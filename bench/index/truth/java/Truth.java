import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import com.sun.tools.javac.code.Symbol;
import com.sun.tools.javac.tree.JCTree;
import com.sun.tools.javac.tree.TreeInfo;
import com.sun.tools.javac.tree.TreeScanner;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.ElementKind;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints what the Java compiler says about the names of a source tree: one JSON object a line for each class, method,
 * constructor and field, with the places of all its uses. Places are "path:offset", offsets in UTF-16 units. Overloads
 * of one name in one class are one symbol; the places of the further ones stand in "also".
 *
 * Usage: java --add-exports jdk.compiler/com.sun.tools.javac.code=ALL-UNNAMED
 * --add-exports jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED
 * --add-exports jdk.compiler/com.sun.tools.javac.util=ALL-UNNAMED Truth.java ROOT CLASSPATH FOLDER... >truth.jsonl
 */
public final class Truth {
    private static final class Entry {
        final String name;
        final String kind;
        final TreeSet<String> at = new TreeSet<>();
        final TreeSet<String> refs = new TreeSet<>();

        Entry(String name, String kind) {
            this.name = name;
            this.kind = kind;
        }
    }

    private final Path root;
    private final Map<String, Entry> entries = new TreeMap<>();

    private Truth(Path root) {
        this.root = root;
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 3) {
            System.err.println("usage: Truth ROOT CLASSPATH FOLDER...");
            System.exit(2);
        }
        Path root = Path.of(args[0]).toRealPath();
        List<Path> files = new ArrayList<>();
        for (int index = 2; index < args.length; index++) {
            try (Stream<Path> found = Files.walk(root.resolve(args[index]))) {
                found.filter(file -> file.toString().endsWith(".java")).sorted().forEach(files::add);
            }
        }
        new Truth(root).run(files, args[1]);
    }

    private void run(List<Path> files, String classpath) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(problems, null, StandardCharsets.UTF_8)) {
            List<String> options = List.of("-proc:none", "-nowarn", "-Xmaxerrs", "100000", "-XDshould-stop.ifError=FLOW", "-cp", classpath);
            Iterable<? extends JavaFileObject> sources = manager.getJavaFileObjectsFromPaths(files);
            JavacTask task = (JavacTask) compiler.getTask(null, manager, problems, options, null, sources);
            List<JCTree.JCCompilationUnit> units = new ArrayList<>();
            for (CompilationUnitTree unit : task.parse()) {
                units.add((JCTree.JCCompilationUnit) unit);
            }
            // Taking attributed classes apart loses no tree: generation is never asked for.
            task.analyze();
            for (JCTree.JCCompilationUnit unit : units) {
                scan(unit, false);
            }
            for (JCTree.JCCompilationUnit unit : units) {
                scan(unit, true);
            }
        }
        long errors = problems.getDiagnostics().stream().filter(one -> one.getKind() == Diagnostic.Kind.ERROR).count();
        System.err.println(files.size() + " files, " + errors + " errors");
        problems.getDiagnostics().stream().filter(one -> one.getKind() == Diagnostic.Kind.ERROR).limit(5)
            .forEach(one -> System.err.println(one));
        print();
    }

    private void scan(JCTree.JCCompilationUnit unit, boolean uses) throws IOException {
        Path file = root.relativize(Path.of(unit.getSourceFile().toUri()).toRealPath());
        String path = file.toString().replace('\\', '/');
        String text = unit.getSourceFile().getCharContent(true).toString();
        unit.accept(new TreeScanner() {
            @Override
            public void visitClassDef(JCTree.JCClassDecl tree) {
                if (!uses && tree.sym != null && !tree.name.isEmpty()) {
                    int from = Math.max(tree.pos, tree.mods == null ? tree.pos : TreeInfo.getStartPos(tree));
                    define(tree.sym, "class", path, text.indexOf(tree.name.toString(), Math.max(from, tree.pos)));
                }
                super.visitClassDef(tree);
            }

            @Override
            public void visitMethodDef(JCTree.JCMethodDecl tree) {
                boolean written = (tree.mods.flags & com.sun.tools.javac.code.Flags.GENERATEDCONSTR) == 0;
                if (!uses && tree.sym != null && written) {
                    define(tree.sym, tree.sym.isConstructor() ? "constructor" : "method", path, tree.pos);
                }
                super.visitMethodDef(tree);
            }

            @Override
            public void visitVarDef(JCTree.JCVariableDecl tree) {
                if (!uses && tree.sym != null && tree.sym.owner.getKind().isClass() || !uses && tree.sym != null && tree.sym.owner.getKind().isInterface()) {
                    define(tree.sym, "field", path, tree.pos);
                }
                super.visitVarDef(tree);
            }

            @Override
            public void visitIdent(JCTree.JCIdent tree) {
                if (uses && tree.sym != null && text.startsWith(tree.name.toString(), tree.pos)) {
                    use(tree.sym, path, tree.pos);
                }
            }

            @Override
            public void visitSelect(JCTree.JCFieldAccess tree) {
                if (uses && tree.sym != null) {
                    use(tree.sym, path, nameBehind(text, tree.pos + 1, tree.name.toString()));
                }
                super.visitSelect(tree);
            }

            @Override
            public void visitReference(JCTree.JCMemberReference tree) {
                if (uses && tree.sym != null) {
                    String name = tree.name.toString();
                    if (!name.equals("<init>")) {
                        int after = TreeInfo.endPos(tree.expr);
                        int colons = text.indexOf("::", Math.max(tree.pos, after));
                        use(tree.sym, path, nameBehind(text, colons == -1 ? tree.pos : colons + 2, name));
                    }
                }
                super.visitReference(tree);
            }

            @Override
            public void visitNewClass(JCTree.JCNewClass tree) {
                if (uses && tree.constructor != null && tree.def == null) {
                    JCTree named = tree.clazz;
                    while (named instanceof JCTree.JCTypeApply applied) {
                        named = applied.clazz;
                    }
                    if (named instanceof JCTree.JCIdent ident) {
                        use(tree.constructor, path, ident.pos);
                    } else if (named instanceof JCTree.JCFieldAccess access) {
                        use(tree.constructor, path, nameBehind(text, access.pos + 1, access.name.toString()));
                    }
                }
                super.visitNewClass(tree);
            }
        });
    }

    /** Where a name stands behind a dot; comments and type arguments may stand between. */
    private static int nameBehind(String text, int from, String name) {
        return text.indexOf(name, from);
    }

    private static String keyOf(Symbol symbol) {
        Symbol owner = symbol.owner == null ? null : symbol.owner.enclClass();
        if (symbol instanceof Symbol.ClassSymbol) {
            return "class " + ((Symbol.ClassSymbol) symbol).flatname;
        }
        String kind = symbol instanceof Symbol.MethodSymbol ? "method " : "field ";
        return kind + (owner == null ? "" : ((Symbol.ClassSymbol) owner).flatname) + "#" + symbol.name;
    }

    private void define(Symbol symbol, String kind, String path, int at) {
        if (at < 0 || symbol.getKind() == ElementKind.PARAMETER) {
            return;
        }
        String name = kind.equals("constructor") ? symbol.owner.name.toString() : symbol.name.toString();
        entries.computeIfAbsent(keyOf(symbol), key -> new Entry(name, kind)).at.add(path + ":" + at);
    }

    private void use(Symbol symbol, String path, int at) {
        boolean member = symbol instanceof Symbol.MethodSymbol || symbol instanceof Symbol.ClassSymbol
            || symbol instanceof Symbol.VarSymbol && symbol.owner instanceof Symbol.ClassSymbol;
        Entry entry = member && at >= 0 ? entries.get(keyOf(symbol)) : null;
        if (entry != null) {
            entry.refs.add(path + ":" + at);
        }
    }

    private void print() {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (Entry entry : entries.values()) {
            List<String> at = new ArrayList<>(entry.at);
            out.println("{\"name\":" + quote(entry.name) + ",\"kind\":" + quote(entry.kind) + ",\"at\":" + quote(at.get(0))
                + ",\"also\":" + list(at.subList(1, at.size())) + ",\"refs\":" + list(entry.refs) + "}");
        }
        out.flush();
    }

    private static String list(Iterable<String> texts) {
        List<String> quoted = new ArrayList<>();
        texts.forEach(text -> quoted.add(quote(text)));
        return quoted.stream().collect(Collectors.joining(",", "[", "]"));
    }

    private static String quote(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
