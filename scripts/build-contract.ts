/**
 * Slices GitHub's REST description to the operations Rookery uses and writes `src/demo/contract.json`.
 *
 * The description comes from the package `@octokit/openapi` (MIT, Copyright (c) 2020 Octokit contributors; its
 * licence stands beside the slice in `src/demo/contract.LICENSE.md`), version 23.0.2, which is 390 MB unpacked and therefore no dependency: install it in a temporary folder and
 * give the path of its `api.github.com.json`:
 *
 *     node scripts/build-contract.ts <folder>/node_modules/@octokit/openapi/generated/api.github.com.json
 *
 * What the slice changes: prose, examples and vendor keys are left out; `nullable` becomes a plain `null` type
 * (135 schemas say `nullable` without `type`, which ajv refuses, and 71 nullable enums lack `null`); request
 * bodies that list properties are closed, so that a misspelled property is found.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { CONTRACT_OPERATIONS } from "../src/demo/loopback-github/contract-operations.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

const SOURCE = "@octokit/openapi@23.0.2";
const METHODS = ["get", "put", "post", "patch", "delete"] as const;
const DROPPED = new Set(["description", "example", "examples", "title", "externalDocs", "deprecated", "discriminator", "xml", "readOnly"]);

function isObject(value: Json | undefined): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Copies a schema without prose; `properties` is a map of names, so its keys are never dropped. */
function cleanSchema(schema: Json, isNameMap = false): Json {
	if (Array.isArray(schema)) return schema.map((item: Json) => cleanSchema(item));
	if (!isObject(schema)) return schema;
	const entries = Object.entries(schema)
		.filter(([key]) => isNameMap || !(DROPPED.has(key) || key.startsWith("x-")))
		.map(([key, value]): [string, Json] => {
			if (key === "$ref" && typeof value === "string") return [key, value.replace("#/components/schemas/", "contract#/schemas/")];
			if (!isNameMap && (key === "enum" || key === "default" || key === "required")) return [key, value];
			return [key, cleanSchema(value, !isNameMap && key === "properties")];
		});
	const copy = Object.fromEntries(entries);
	return isNameMap ? copy : rewriteNullable(copy);
}

function rewriteNullable(schema: JsonObject): JsonObject {
	if (schema["nullable"] === undefined) return schema;
	const { nullable, ...rest } = schema;
	if (nullable !== true) return rest;
	if (typeof rest["type"] !== "string") return { anyOf: [{ type: "null" }, rest] };
	const withNull: { [key: string]: Json } = { ...rest, type: [rest["type"], "null"] };
	if (Array.isArray(rest["enum"]) && !rest["enum"].includes(null)) withNull["enum"] = [...(rest["enum"] as Json[]), null];
	return withNull;
}

/** Adds `additionalProperties: false` where properties are listed, except in branches that refine such an object. */
function closeBody(schema: Json, insideRefinement = false): Json {
	if (Array.isArray(schema)) return schema.map((item: Json) => closeBody(item, insideRefinement));
	if (!isObject(schema)) return schema;
	const lists = isObject(schema["properties"]);
	const copy: { [key: string]: Json } = {};
	for (const [key, value] of Object.entries(schema)) {
		if (key === "properties" && isObject(value)) {
			copy[key] = Object.fromEntries(Object.entries(value).map(([name, property]) => [name, closeBody(property)]));
		} else if (key === "items") copy[key] = closeBody(value);
		else if (key === "oneOf" || key === "anyOf" || key === "allOf") copy[key] = closeBody(value, insideRefinement || lists);
		else copy[key] = value;
	}
	if (lists && !insideRefinement && copy["additionalProperties"] === undefined) copy["additionalProperties"] = false;
	return copy;
}

function collectReferences(schema: Json, into: Set<string>): void {
	if (Array.isArray(schema)) for (const item of schema) collectReferences(item, into);
	else if (isObject(schema)) {
		const reference = schema["$ref"];
		if (typeof reference === "string") into.add(reference.replace("contract#/schemas/", ""));
		for (const value of Object.values(schema)) collectReferences(value, into);
	}
}

function objectAt(root: Json, ...path: readonly string[]): JsonObject {
	let value: Json | undefined = root;
	for (const key of path) value = isObject(value) ? value[key] : undefined;
	return isObject(value) ? value : {};
}

function resolve(document: JsonObject, value: Json): JsonObject {
	const reference = objectAt(value)["$ref"];
	return typeof reference === "string" ? objectAt(document, ...reference.slice(2).split("/")) : objectAt(value);
}

function parametersOf(document: JsonObject, operation: JsonObject, place: "path" | "query"): JsonObject {
	const list = Array.isArray(operation["parameters"]) ? (operation["parameters"] as Json[]) : [];
	const found = list.map((parameter) => resolve(document, parameter)).filter((parameter) => parameter["in"] === place);
	return {
		type: "object",
		properties: Object.fromEntries(found.map((parameter) => [String(parameter["name"]), cleanSchema(parameter["schema"] ?? {})])),
		required: found.filter((parameter) => parameter["required"] === true).map((parameter) => String(parameter["name"])),
		additionalProperties: false,
	};
}

function sliceOperation(document: JsonObject, method: string, path: string, operation: JsonObject): JsonObject {
	const body = resolve(document, operation["requestBody"] ?? {});
	const bodySchema = objectAt(body, "content", "application/json")["schema"];
	const responses: { [status: string]: Json } = {};
	for (const [status, response] of Object.entries(objectAt(operation["responses"] ?? {}))) {
		if (!/^[23]\d\d$/.test(status)) continue;
		const schema = objectAt(resolve(document, response), "content", "application/json")["schema"];
		responses[status] = schema === undefined ? null : cleanSchema(schema);
	}
	return {
		id: String(operation["operationId"]),
		method: method.toUpperCase(),
		path,
		parameters: parametersOf(document, operation, "path"),
		query: parametersOf(document, operation, "query"),
		body: bodySchema === undefined ? null : closeBody(cleanSchema(bodySchema)),
		bodyRequired: body["required"] === true,
		responses,
	};
}

async function main(): Promise<void> {
	const source = process.argv[2];
	if (source === undefined) throw new Error("usage: build-contract.ts <path of api.github.com.json>");
	const document = JSON.parse(await readFile(source, "utf8")) as JsonObject;
	const wanted = new Set<string>(CONTRACT_OPERATIONS);
	const operations: JsonObject[] = [];
	for (const [path, item] of Object.entries(objectAt(document, "paths"))) {
		for (const method of METHODS) {
			const operation = objectAt(item, method);
			if (wanted.delete(String(operation["operationId"]))) operations.push(sliceOperation(document, method, path, operation));
		}
	}
	if (wanted.size > 0) throw new Error(`not in the description: ${[...wanted].join(", ")}`);
	const all = objectAt(document, "components", "schemas");
	const schemas: { [name: string]: Json } = {};
	const open = new Set<string>();
	collectReferences(operations, open);
	for (const name of open) {
		// A set may grow while it is walked, so this reaches what is only referenced indirectly.
		schemas[name] = cleanSchema(all[name] ?? {});
		collectReferences(schemas[name], open);
	}
	const target = fileURLToPath(new URL("../src/demo/contract.json", import.meta.url));
	const text = JSON.stringify({ source: SOURCE, license: "MIT, Copyright (c) 2020 Octokit contributors", operations, schemas });
	await writeFile(target, `${text}\n`);
	process.stdout.write(`${operations.length} operations, ${Object.keys(schemas).length} schemas, ${text.length} bytes\n`);
}

await main();
