import type { LanguageProfile } from "../language-profile.ts";

const GUIDANCE = `Idioms: set-based statements, explicit column lists, constraints in the database, expand and contract for changes of live schemas.
Look for, in this order:
- Locks of migrations: ALTER TABLE that rewrites or scans a large table under an exclusive lock (a new type, NOT NULL or CHECK without NOT VALID, a volatile default), CREATE INDEX without CONCURRENTLY (PostgreSQL) or without ALGORITHM=INPLACE (MySQL), foreign keys validated at once, a long UPDATE in the same transaction as DDL, no lock_timeout.
- Order of deployment: a column or table dropped, renamed or narrowed while the running code still reads or writes it; a NOT NULL column without a default that old code does not fill; an enum value removed; a view or function that depends on it; code that needs the migration before it has run.
- Data loss: DELETE, UPDATE or TRUNCATE without or with a wrong WHERE, a join in an UPDATE that hits rows twice, a type change that cuts or rounds, ON DELETE CASCADE reaching further than meant, a down migration that drops what the up migration did not make, a backfill that overwrites newer values.
- Repeatability: a migration that fails half-way without a transaction (MySQL commits DDL at once, CONCURRENTLY cannot be in one), IF NOT EXISTS that hides a different existing object, an applied migration edited afterwards, versions out of order or used twice, seeds that run on production.
- NULL: NOT IN with a subquery that can give NULL, <> that drops NULL rows, UNIQUE that lets several NULLs in, COUNT(col) against COUNT(*), concatenation or arithmetic that becomes NULL, a WHERE on the right side that turns LEFT JOIN into INNER, COALESCE that hides missing data, CHECK that is true for NULL.
- Joins and grouping: a missing or partial join condition that multiplies rows, DISTINCT that covers it up, SUM over a fan-out, GROUP BY columns that do not determine the selected ones (MySQL), HAVING for WHERE, UNION that removes rows where UNION ALL is meant, window frames left to their default (RANGE), ties in ROW_NUMBER.
- Performance on real sizes: a function or cast on an indexed column in WHERE, a leading % in LIKE, an implicit conversion between types or collations, OR over columns, OFFSET paging, a correlated subquery for each row, SELECT * into wide rows, an index whose column order does not serve the query, an index that nothing uses or that repeats another, statistics after a large load.
- Transactions: read-then-write without FOR UPDATE or a constraint, isolation level assumed, advisory locks not released, deadlocks by two orders of update, a sequence or MAX(id)+1 for numbers without gaps, an upsert whose conflict target has no unique index or that updates on every conflict.
- Injection and rights: dynamic SQL by concatenation (EXECUTE format with %s for %I or %L, sp_executesql without parameters), GRANT to PUBLIC or ALL, SECURITY DEFINER without search_path, row level security left off for a new table or bypassed by the owner, passwords in scripts.
- Types: money in FLOAT, timestamps without a zone, VARCHAR cut to a length that data exceeds, INT keys that run out, CHAR padding, JSON where columns are queried, collation and case of unique texts, booleans as strings, enum order used for sorting.
- Constraints: a foreign key without an index on its side, uniqueness only checked by the application, a unique index that ignores soft deletion, defaults that differ between code and schema, generated columns that depend on what changes.
- Procedures and triggers: a trigger that fires for each row on bulk loads, recursion, side effects that replication repeats, exceptions swallowed (WHEN OTHERS), variables named like columns, a cursor where a statement does, functions marked IMMUTABLE that read tables.
- Dates: BETWEEN on timestamps that misses the last day, truncation in another zone, month arithmetic, the server's zone, week numbers.
- Warehouses (BigQuery, Snowflake, dbt): an incremental model without a unique key or with a late-data gap, partitions not filtered, ref against a hard-coded table, a test removed, a full refresh that costs, duplicates by at-least-once loads.
- Views and reports: columns reordered for SELECT * consumers, ORDER BY in a view, a materialised view never refreshed.

How to confirm: find the table's definition and size hints in earlier migrations, the queries and models that use the changed column, the migration tool's rule about transactions, and which database and version the configuration names.

Not worth reporting: keyword case, alias style, trailing commas, "use a CTE", column order, missing comments, naming, indexes for tables that stay small.`;

/** SQL: queries, schemas, migrations. */
export const SQL: LanguageProfile = {
	id: "sql",
	displayName: "SQL",
	extensions: [".sql", ".psql", ".pgsql", ".plsql", ".pks", ".pkb", ".tsql", ".ddl", ".dml"],
	filenames: [],
	manifests: [".sqlfluff", "dbt_project.yml", "liquibase.properties", "flyway.conf", "flyway.toml"],
	keywords: [
		"sql",
		"postgres",
		"postgresql",
		"mysql",
		"sqlite",
		"mariadb",
		"pl/pgsql",
		"t-sql",
		"dbt_project.yml",
		"flyway",
		"liquibase",
		"snowflake warehouse",
		"bigquery",
	],
	guidance: GUIDANCE,
	checkCommands: [],
	minor: true,
	testCommand: () => undefined,
};
