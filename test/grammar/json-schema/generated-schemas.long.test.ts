import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UnsupportedGrammar, WorkLimitExceeded } from "../../../src/grammar/errors.js";
import { schemaGrammar } from "../../../src/grammar/json-schema/schema-grammar.js";
import type { TokenGrammar } from "../../../src/grammar/token-grammar.js";
import { accepts, followed } from "../../support/follow-grammar.js";
import { jsonValue, schemaDocument } from "../../support/generated-schema.js";
import { walk } from "../../support/walk-grammar.js";
import { MAX_ORDERS, orders } from "./orders.js";

const RUNS = { numRuns: 150 };

/** `unknown`: ajv generates code that fails for some schemas that no value satisfies. */
type Validity = "valid" | "invalid" | "unknown";

interface Compiled {
  readonly grammar: TokenGrammar;
  readonly validity: (value: unknown) => Validity;
}

/**
 * `undefined`: refused, because of an unsupported feature or because no value satisfies the schema.
 */
function compile(schema: unknown): Compiled | undefined {
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  try {
    const grammar = followed(schemaGrammar(schema));
    return { grammar, validity: (value) => validityOf(ajv, schema, value) };
  } catch (error) {
    if (error instanceof UnsupportedGrammar || error instanceof WorkLimitExceeded) return undefined;
    throw error;
  }
}

function validityOf(ajv: Ajv2020, schema: unknown, value: unknown): Validity {
  try {
    return ajv.validate(schema as object, value) === true ? "valid" : "invalid";
  } catch (error) {
    if (error instanceof ReferenceError || error instanceof RangeError) return "unknown";
    throw error;
  }
}

const draws = fc
  .infiniteStream(fc.nat())
  .map((stream) => (below: number) => stream.next().value % below);

// Hundreds of schemas are each walked through a vocabulary or compared with Ajv.
describe("schemaGrammar, for generated schemas", { timeout: 120_000 }, () => {
  it("allows only texts of valid values, without dead ends", () => {
    fc.assert(
      fc.property(schemaDocument, draws, (schema, draw) => {
        const compiled = compile(schema);
        if (compiled === undefined) return;
        for (let round = 0; round < 3; round++) {
          const text = walk(compiled.grammar, draw);
          if (text === undefined) continue;
          expect(compiled.validity(JSON.parse(text)), text).not.toBe("invalid");
        }
      }),
      RUNS,
    );
  });

  it("accepts a value in some member order if and only if it is valid", () => {
    const values = fc.array(jsonValue, { minLength: 4, maxLength: 8 });
    fc.assert(
      fc.property(schemaDocument, values, (schema, candidates) => {
        const compiled = compile(schema);
        if (compiled === undefined) return;
        for (const value of candidates) {
          const ordersOfValue = orders(value);
          const isAccepted = ordersOfValue.some((ordered) =>
            [undefined, 2].some((indent) =>
              accepts(compiled.grammar, JSON.stringify(ordered, null, indent)),
            ),
          );
          // The schema's order may be one of the untested ones.
          if (!isAccepted && ordersOfValue.length === MAX_ORDERS) continue;
          const mistake = isAccepted ? "invalid" : "valid";
          expect(compiled.validity(value), JSON.stringify(value)).not.toBe(mistake);
        }
      }),
      RUNS,
    );
  });
});
