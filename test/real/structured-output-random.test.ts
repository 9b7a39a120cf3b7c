import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { isInteger, parse } from "lossless-json";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import { GgufdError } from "../../src/core/errors.js";
import { loadVocabulary } from "../../src/engine/grammar-vocabulary.js";
import { type Answer, generate, openEngine } from "../support/generate.js";
import { schemaDocument } from "../support/generated-schema.js";
import { modelWithTokenizer } from "../support/random-models.js";

const RUNS = Number(process.env.RUNS ?? 10);

/** `undefined`: no check is possible. */
function validatorOf(schema: unknown): ((value: unknown) => boolean) | undefined {
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  try {
    const validate = ajv.compile(schema as object);
    for (const value of [{}, [], "", 0]) validate(value);
    return (value) => validate(value) === true;
  } catch {
    return undefined;
  }
}

/**
 * Whether the checker parses a different value: it sees only one of two members with the same key,
 * and rounds a fraction of more than about 17 digits to an integer.
 */
function isReadOtherwise(text: string): boolean {
  let otherwise = false;
  parse(text, undefined, {
    onDuplicateKey: () => {
      otherwise = true;
    },
    parseNumber: (number) => {
      otherwise ||= Number.isInteger(Number(number)) && !isInteger(number);
      return Number(number);
    },
  });
  return otherwise;
}

describe.each(["qwen2", "llama-spm"])(
  "a model with random weights and the vocabulary %s",
  (name) => {
    let engine: Engine;
    let closing: ReadonlyMap<number, number>;
    beforeAll(async () => {
      const path = modelWithTokenizer(name);
      const { tokenize } = await loadVocabulary(path);
      closing = new Map(
        ['"', "}", "]", '"}'].flatMap((text) =>
          tokenize(text, "literal").map((token) => [token, 4]),
        ),
      );
      engine = await openEngine(path, { slots: 4, contextSize: 512 });
    });
    afterAll(() => engine.close());

    const ask = (schema: unknown, seed: number): Promise<Answer | undefined> =>
      generate(engine, "x", {
        constraint: { type: "json-schema", schema },
        sampling: { temperature: 1, topK: 0, topP: 1, minP: 0, seed, logitBias: closing },
        stopping: { maxTokens: 60, ignoreEos: false },
      }).catch((error: unknown) => {
        if (error instanceof GgufdError && error.code === "invalid_request") return undefined;
        throw error;
      });

    it("generates values that satisfy generated schemas", async () => {
      const endings = { stop: 0, length: 0 };
      await fc.assert(
        fc.asyncProperty(schemaDocument, fc.nat(), async (schema, seed) => {
          const isValid = validatorOf(schema);
          const answers = await Promise.all([0, 1, 2, 3].map((index) => ask(schema, seed + index)));
          for (const answer of answers) {
            if (
              answer === undefined ||
              answer.reason === "cancelled" ||
              answer.reason === "tool-calls"
            )
              continue;
            endings[answer.reason]++;
            if (answer.reason === "length" || isReadOtherwise(answer.text)) continue;
            expect(isValid?.(JSON.parse(answer.text)), answer.text).not.toBe(false);
          }
        }),
        { numRuns: RUNS },
      );
      expect(endings.stop).toBeGreaterThan(0);
    });
  },
);
