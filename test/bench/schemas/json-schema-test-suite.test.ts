import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parse } from "lossless-json";
import { describe, expect, it } from "vitest";
import type { LosslessJson } from "../../../bench/schemas/lossless-json.js";
import { inSchemaOrder } from "../../../bench/schemas/property-order.js";
import { pythonJson } from "../../../bench/schemas/python-json.js";
import { isJsonObject } from "../../../src/core/json.js";
import { UnsupportedGrammar } from "../../../src/grammar/errors.js";
import { schemaGrammar } from "../../../src/grammar/json-schema/schema-grammar.js";
import type { TokenGrammar } from "../../../src/grammar/token-grammar.js";
import { accepts, followed } from "../../support/follow-grammar.js";

/**
 * The folder `tests` of JSON-Schema-Test-Suite. The npm packages have drafts 3 and 4 only; a checkout of the suite, or
 * Debian's libtest-json-schema-acceptance-perl, has all drafts.
 */
const SUITE =
  process.env["JSON_SCHEMA_TEST_SUITE"] ??
  join(dirname(createRequire(import.meta.url).resolve("json-schema-test-suite")), "tests");

interface Draft {
  readonly folder: string;
  /** Dialect added to each schema of drafts whose tests omit it. */
  readonly dialect: string | undefined;
  /**
   * Maximum number of refused schemas, by the innermost key of the reported path. `""`: the whole
   * schema.
   */
  readonly refused: Readonly<Record<string, number>>;
}

const DRAFTS: readonly Draft[] = [
  {
    folder: "draft4",
    dialect: "http://json-schema.org/draft-04/schema#",
    refused: { $ref: 10, minProperties: 1, multipleOf: 2, uniqueItems: 3 },
  },
  {
    folder: "draft6",
    dialect: "http://json-schema.org/draft-06/schema#",
    refused: {
      "": 6,
      $ref: 12,
      allOf: 2,
      bool: 1,
      format: 1,
      minProperties: 1,
      multipleOf: 2,
      uniqueItems: 3,
    },
  },
  {
    folder: "draft7",
    dialect: "http://json-schema.org/draft-07/schema#",
    refused: {
      "": 6,
      $ref: 12,
      allOf: 2,
      bool: 1,
      format: 6,
      minProperties: 1,
      multipleOf: 2,
      uniqueItems: 3,
    },
  },
  {
    folder: "draft2019-09",
    dialect: undefined,
    refused: {
      "": 6,
      $recursiveRef: 9,
      $ref: 21,
      allOf: 2,
      bool: 1,
      format: 6,
      maxContains: 4,
      minContains: 4,
      minProperties: 1,
      multipleOf: 2,
      unevaluatedItems: 22,
      unevaluatedProperties: 38,
      uniqueItems: 3,
    },
  },
  {
    folder: "draft2020-12",
    dialect: undefined,
    refused: {
      "": 6,
      $dynamicRef: 12,
      $ref: 25,
      allOf: 2,
      bool: 1,
      format: 6,
      maxContains: 4,
      minContains: 4,
      minProperties: 1,
      multipleOf: 2,
      unevaluatedItems: 24,
      unevaluatedProperties: 39,
      uniqueItems: 3,
    },
  },
];

/** Valid instances that are never generated, by the suite's descriptions. */
const NOT_WRITTEN: ReadonlySet<string> = new Set([
  // Integers are generated without a decimal point.
  "a float with zero fractional part is an integer",
  "float zero is valid",
  "float one is valid",
  "float -2.0 is valid",
  "float is valid",
  // A custom meta-schema would have to be fetched.
  "no validation: invalid number, but it still validates",
]);

interface SuiteGroup {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly valid: boolean }[];
  readonly instances: readonly LosslessJson[];
}

function groupsOf(draft: Draft): readonly SuiteGroup[] {
  const folder = join(SUITE, draft.folder);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const groups: SuiteGroup[] = JSON.parse(text);
      const lossless = parse(text) as { tests: { data: LosslessJson }[] }[];
      return groups.map((group, index) => ({
        ...group,
        schema: withDialect(group.schema, draft.dialect),
        instances: lossless[index]?.tests.map(({ data }) => data) ?? [],
      }));
    });
}

function withDialect(schema: unknown, dialect: string | undefined): unknown {
  return dialect !== undefined && isJsonObject(schema) ? { $schema: dialect, ...schema } : schema;
}

/** Compiles a schema to its grammar, or returns the keyword that is not supported. */
function compile(schema: unknown): TokenGrammar | string {
  try {
    return followed(schemaGrammar(schema));
  } catch (error) {
    if (!(error instanceof UnsupportedGrammar)) throw error;
    return error.path.findLast((step) => !/^\d+$/.test(step)) ?? "";
  }
}

/** Lists instances whose validity differs from the suite's expectation. */
function differencesIn(group: SuiteGroup, grammar: TokenGrammar): readonly string[] {
  return group.tests.flatMap(({ description, valid }, index) => {
    const text = pythonJson(inSchemaOrder(group.instances[index] ?? null, group.schema));
    if (NOT_WRITTEN.has(description) || accepts(grammar, text) === valid) return [];
    return [`${group.description}: ${description}: ${text}`];
  });
}

describe.each(DRAFTS)("JSON-Schema-Test-Suite, $folder", (draft) => {
  it.skipIf(!existsSync(join(SUITE, draft.folder)))(
    "passes, except for a known number of rejected schemas",
    () => {
      const refused = new Map<string, number>();
      const differences: string[] = [];
      for (const group of groupsOf(draft)) {
        const grammar = compile(group.schema);
        if (typeof grammar === "string") refused.set(grammar, (refused.get(grammar) ?? 0) + 1);
        else differences.push(...differencesIn(group, grammar));
      }
      expect(differences).toEqual([]);
      for (const [keyword, count] of refused) {
        expect(count, `refused for ${keyword}`).toBeLessThanOrEqual(draft.refused[keyword] ?? 0);
      }
    },
  );
});
