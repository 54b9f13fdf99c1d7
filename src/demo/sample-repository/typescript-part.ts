import { edit, type SamplePart } from "./sample-file.ts";

const RATES = String.raw`import type { Database } from "./database.js";

export interface Rate {
	readonly zone: string;
	readonly cents: number;
}

/** Price of a parcel by zone and weight in grams; undefined for a zone that is not served. */
export function priceOf(rates: readonly Rate[], zone: string, grams: number): number | undefined {
	const rate = rates.find((candidate) => candidate.zone === zone);
	return rate === undefined ? undefined : rate.cents * Math.ceil(grams / 500);
}

export async function loadRates(database: Database): Promise<readonly Rate[]> {
	return database.query<Rate>("select zone, cents from rates", []);
}
`;

const RATES_TEST = String.raw`import { describe, expect, it } from "vitest";
import { priceOf } from "../src/rates.js";

const rates = [{ zone: "inner", cents: 120 }];

describe("priceOf", () => {
	it("charges each started half kilogram", () => {
		expect(priceOf(rates, "inner", 501)).toBe(240);
	});

	it("knows no price for a zone that is not served", () => {
		expect(priceOf(rates, "moon", 1)).toBeUndefined();
	});
});
`;

const DATABASE = String.raw`export interface Database {
	query<Row>(text: string, values: readonly unknown[]): Promise<readonly Row[]>;
}
`;

const PACKAGE = `{
  "name": "gateway",
  "private": true,
  "type": "module",
  "devDependencies": {
    "vitest": "4.0.0"
  }
}
`;

const LOCK = `{
  "name": "gateway",
  "lockfileVersion": 3,
  "requires": true,
  "packages": {
    "": {
      "name": "gateway",
      "devDependencies": {
        "vitest": "4.0.0"
      }
    },
    "node_modules/vitest": {
      "version": "4.0.0",
      "dev": true
    }
  }
}
`;

const TSCONFIG = `{
  // Comments are allowed here.
  "compilerOptions": {
    "strict": true,
    "module": "nodenext",
  }
}
`;

const SERVICES = `{
  "gateway": { "replicas": 2, "port": 8080 },
  "dispatch": { "replicas": 3, "port": 8081 }
}
`;

export function typescriptPart(): SamplePart {
	return {
		files: [
			{ path: "gateway/src/database.ts", base: DATABASE, head: DATABASE },
			{
				path: "gateway/src/rates.ts",
				base: RATES,
				head: `${RATES}
/** Changes the price of a zone. */
export async function changeRate(database: Database, zone: string, cents: number): Promise<void> {
	await database.query("update rates set cents = " + cents + " where zone = '" + zone + "'", []);
}
`,
			},
			{
				path: "gateway/test/rates.test.ts",
				base: RATES_TEST,
				head: edit(
					RATES_TEST,
					['\tit("charges each started', '\tit.only("charges each started'],
					[
						'\tit("knows no price',
						'\t// An it.only in a comment or in a string focuses nothing.\n\tit("says it.only(1) in its name", () => {\n\t\texpect("describe.only(\'x\')").toContain("only");\n\t});\n\n\tit("knows no price',
					],
				),
			},
			{ path: "gateway/package.json", base: PACKAGE, head: edit(PACKAGE, ["4.0.0", "4.1.0"]) },
			{
				path: "gateway/package-lock.json",
				base: LOCK,
				head: LOCK.replaceAll("4.0.0", "4.1.0"),
			},
			{
				path: "gateway/tsconfig.json",
				base: TSCONFIG,
				head: edit(TSCONFIG, ['"module": "nodenext",', '"module": "nodenext",\n    "target": "es2022", // as Node 20 has it']),
			},
			{
				path: "deploy/services.json",
				base: SERVICES,
				head: edit(SERVICES, ['"dispatch": { "replicas": 3, "port": 8081 }', '"dispatch": { "replicas": 4, "port": 8081 },']),
			},
		],
		defects: [
			{
				path: "gateway/test/rates.test.ts",
				on: 'it.only("charges',
				kind: "focused-test",
				rule: "focused-test/typescript",
				offline: true,
				why: "Every other test of the file is left out.",
			},
			{
				path: "deploy/services.json",
				on: '"replicas": 4',
				kind: "syntax-error",
				rule: "syntax/json",
				offline: true,
				why: "A trailing comma is not JSON, so the deployment cannot read the file.",
			},
			{
				path: "gateway/src/rates.ts",
				on: "update rates set cents",
				kind: "security",
				rule: "model",
				offline: false,
				why: "The zone goes into the statement as text, so that a caller can change any row.",
			},
		],
	};
}
