import type { SyntaxTable } from "../../syntax-table.ts";
import type { FileFacts } from "../../types.ts";
import { DECLARATION_HANDLERS } from "./go-declarations.ts";
import { USE_HANDLERS } from "./go-uses.ts";
import { VALUE_HANDLERS } from "./go-values.ts";
import { GoWalk } from "./go-walk.ts";

const HANDLERS = { ...DECLARATION_HANDLERS, ...VALUE_HANDLERS, ...USE_HANDLERS };

/** Everything that a Go file declares and uses, with what its text says about types. */
export function extractGoFacts(table: SyntaxTable, hasErrors: boolean): FileFacts {
	return new GoWalk(table, HANDLERS).run(hasErrors);
}
