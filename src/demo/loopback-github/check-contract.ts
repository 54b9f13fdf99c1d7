import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import addFormatsModule from "ajv-formats";
import type { Contract, ContractOperation, JsonObject } from "./loopback-types.ts";

/** Where GitHub's description asks for more than this loopback's answers (or GitHub's own) give. */
interface Tolerance {
	readonly name: string;
	readonly operation: RegExp;
	/** Tested against `<instance path> <message>`. */
	readonly message: RegExp;
}

const RESPONSE_TOLERANCES: readonly Tolerance[] = [
	{
		name: "a pull request's head repository is null when the fork was deleted",
		operation: /^(pulls\/|repos\/list-pull-requests)/,
		message: /^(\/\d+)?\/head\/repo must be object/,
	},
	{
		name: "line and side are null on outdated and on file comments",
		operation: /^pulls\/.*comment/,
		message: /^(\/\d+)?\/(line|original_line|side|position|original_position) must be/,
	},
	{
		name: "a label's description is null in lists of pull requests too",
		operation: /^(pulls\/list|repos\/list-pull-requests)/,
		message: /^(\/\d+)?\/labels\/\d+\/description must be string/,
	},
	{
		name: "the address of a bot's commits has brackets in it",
		operation: /./,
		message: /\/(?:author|committer)\/email must match format "email"/,
	},
	{
		name: "a bot account fits both spellings of a public user",
		operation: /^users\//,
		message: /must match exactly one schema in oneOf/,
	},
];

export interface ContractChecker {
	/** One line a violation; empty when the request fits. Path and query values are coerced as on GitHub. */
	checkRequest(operation: ContractOperation, request: CheckedRequest): readonly string[];
	/** One line a violation that no tolerance names. */
	checkResponse(operation: ContractOperation, status: number, body: unknown): readonly string[];
}

interface CheckedRequest {
	readonly parameters: Readonly<Record<string, string>>;
	readonly query: Readonly<Record<string, string>>;
	/** Undefined when there was no body. */
	readonly body: unknown;
}

// The package is CommonJS: under Node's ESM the plugin is the `default` of the default export's namespace.
const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;

function createAjv(contract: Contract, coerceTypes: boolean): Ajv {
	const ajv = new Ajv({
		strict: false,
		allErrors: false,
		coerceTypes,
		validateSchema: false,
		inlineRefs: false,
		logger: false,
		code: { optimize: false },
	});
	addFormats(ajv);
	ajv.addSchema({ $id: "contract", schemas: contract.schemas });
	return ajv;
}

function describe(place: string, error: ErrorObject): string {
	const extra = error.keyword === "additionalProperties" ? ` (${String(error.params["additionalProperty"])})` : "";
	const allowed = error.keyword === "enum" ? ` (${JSON.stringify(error.params["allowedValues"])})` : "";
	return `${place}${error.instancePath} ${error.message ?? error.keyword}${extra}${allowed}`;
}

/** Validators are compiled at first use: all of them together take seconds, a run needs about twenty. */
export function createContractChecker(contract: Contract): ContractChecker {
	let strictAjv: Ajv | undefined;
	let coercingAjv: Ajv | undefined;
	const compiled = new Map<string, ValidateFunction>();

	function validator(key: string, schema: JsonObject, coerce: boolean): ValidateFunction {
		const known = compiled.get(key);
		if (known !== undefined) return known;
		if (coerce) coercingAjv ??= createAjv(contract, true);
		else strictAjv ??= createAjv(contract, false);
		const made = ((coerce ? coercingAjv : strictAjv) as Ajv).compile(schema);
		compiled.set(key, made);
		return made;
	}

	function run(key: string, place: string, schema: JsonObject, value: unknown, coerce: boolean): string[] {
		const validate = validator(key, schema, coerce);
		return validate(value) ? [] : (validate.errors ?? []).map((error) => describe(place, error));
	}

	return {
		checkRequest(operation, request) {
			const found = [
				...run(`${operation.id} parameters`, "path", operation.parameters, { ...request.parameters }, true),
				...run(`${operation.id} query`, "query", operation.query, { ...request.query }, true),
			];
			if (request.body === undefined) return operation.bodyRequired ? [...found, "body is missing"] : found;
			if (operation.body !== null) found.push(...run(`${operation.id} body`, "body", operation.body, request.body, false));
			return found;
		},
		checkResponse(operation, status, body) {
			if (status >= 400) return [];
			const schema = operation.responses[String(status)];
			if (schema === undefined) return [`status ${status} is not in the description`];
			if (schema === null) return [];
			const found = run(`${operation.id} ${status}`, "", schema, body, false);
			return found.filter((line) => !RESPONSE_TOLERANCES.some((item) => item.operation.test(operation.id) && item.message.test(line)));
		},
	};
}
