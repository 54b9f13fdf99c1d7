import type { LanguageSupport } from "../../types.ts";
import { extractPython } from "./extract.ts";
import { resolvePythonModule } from "./module-paths.ts";
import { relatedPython, resolvePython } from "./resolve.ts";

/** Python: scopes, imports through packages, declared and constructed types. Never exact: names can be set at run time (S-020). */
export const PYTHON_SUPPORT: LanguageSupport = {
	id: "python",
	grammars: ["python"],
	version: 1,
	isExact: false,
	extract: extractPython,
	resolve: resolvePython,
	resolveModule: resolvePythonModule,
	related: relatedPython,
};
