import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { llamaCppModelsFolder } from "../../../models/random/llama-cpp-source.js";
import { buildGrammarVocabulary, loadVocabulary } from "../../../src/engine/grammar-vocabulary.js";
import type { Grammar, GrammarNode } from "../../../src/grammar/grammar.js";
import { schemaGrammar } from "../../../src/grammar/json-schema/schema-grammar.js";
import { allows } from "../../../src/grammar/mask/token-mask.js";
import {
  GrammarEpoch,
  type GrammarState,
  type GrammarVocabulary,
  TokenGrammar,
} from "../../../src/grammar/token-grammar.js";
import { vocabularyOf } from "../../support/follow-grammar.js";
import { regularNode } from "../language/small-languages.js";

/** Differences between the mask of a state and a check of each token. */
function differences(
  grammar: TokenGrammar,
  state: GrammarState,
  { trie }: GrammarVocabulary,
): readonly number[] {
  const mask = grammar.maskOf(state);
  return Array.from({ length: trie.vocabularySize }, (_, token) => token).filter(
    (token) => allows(mask, token) !== (grammar.advanceByToken(state, token) !== undefined),
  );
}

/** The states along a text. */
function statesAlong(grammar: TokenGrammar, text: string): readonly GrammarState[] {
  const states = [grammar.start];
  for (const byte of Buffer.from(text)) {
    const next = grammar.advanceByBytes(states.at(-1) ?? grammar.start, Uint8Array.of(byte));
    if (next === undefined) throw new Error(`the grammar ends within ${text}`);
    states.push(next);
  }
  return states;
}

const SMALL = vocabularyOf(
  ["a", "b", "ab", "ba", "aab", "bbb", "abab", "c", "bab", "ab"],
  ["[END]"],
);

describe("maskOf", () => {
  it("equals a check of each token, for regular grammars and a small vocabulary", () => {
    fc.assert(
      fc.property(
        fc.array(regularNode, { minLength: 1, maxLength: 3 }),
        fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 3 }),
        (parts, prefix) => {
          const root: GrammarNode = {
            type: "sequence",
            parts: parts.map((of): GrammarNode => ({ type: "lexeme", of })),
          };
          const grammar = new TokenGrammar({ root, rules: {} }, new GrammarEpoch(SMALL));
          const state = grammar.advanceByBytes(grammar.start, Buffer.from(prefix));
          if (state !== undefined) expect(differences(grammar, state, SMALL)).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each<[string, GrammarNode]>([
    ["a control token", { type: "control-token", text: "[END]" }],
    [
      "any text until a control token",
      { type: "until", ends: [{ type: "control-token", text: "[END]" }] },
    ],
    ["any text until a text", { type: "until", ends: [{ type: "text", text: "ab" }] }],
    [
      "text without a control token",
      { type: "without", ends: [{ type: "control-token", text: "[END]" }] },
    ],
    ["text without a text", { type: "without", ends: [{ type: "text", text: "bab" }] }],
    [
      "an optional text before a control token",
      {
        type: "sequence",
        parts: [
          { type: "repeat", of: { type: "words", words: ["ab"] }, min: 0, max: 1 },
          { type: "control-token", text: "[END]" },
        ],
      },
    ],
  ])("allows control tokens at their positions: %s", (_, root) => {
    const grammar = new TokenGrammar({ root, rules: {} }, new GrammarEpoch(SMALL));
    expect(differences(grammar, grammar.start, SMALL)).toEqual([]);
  });
});

const CASES: readonly (readonly [name: string, schema: unknown, text: string])[] = [
  ["any value", true, '{"a": [1, "x\\n\\u00e9é", null, {}]}'],
  ["a short string", { type: "string", maxLength: 5 }, '"abé\\n\\u0041"'],
  ["a string of some length", { type: "string", minLength: 3, maxLength: 300 }, '"hello world"'],
  ["a long string", { type: "string", minLength: 200 }, '"hello world'],
  ["a pattern", { type: "string", pattern: "^[a-z]{2,9} [A-Z][^x]*$" }, '"hello World"'],
  [
    "a pattern with a length",
    { type: "string", pattern: "^[a-z]+$", minLength: 4, maxLength: 9 },
    '"hello"',
  ],
  [
    "a string that is none of some",
    { type: "string", not: { enum: ["hello", "help"] } },
    '"helper"',
  ],
  ["a string of another length", { type: "string", not: { minLength: 4 } }, '"abc"'],
  ["an enumeration", { enum: ["apple", "apricot", "banana", 12, 125, null] }, '"apricot"'],
  ["an integer", { type: "integer", minimum: -120, maximum: 4500 }, "-119"],
  ["a number", { type: "number", exclusiveMinimum: 0.5, maximum: 12.25 }, "12.2"],
  ["a multiple", { type: "integer", multipleOf: 7 }, "7007"],
  ["a date", { type: "string", format: "date-time" }, '"2024-02-29T12:30:00Z"'],
  [
    "an object",
    {
      type: "object",
      properties: {
        name: { type: "string", maxLength: 20 },
        tags: { type: "array", items: { enum: ["a", "b"] }, maxItems: 3 },
      },
      required: ["name", "other"],
      patternProperties: { "^x": { type: "integer" } },
      maxProperties: 4,
    },
    '{"name": "Ann", "tags": ["a", "b"], "other": 1, "xy": 2}',
  ],
];

describe("maskOf, with a real vocabulary", () => {
  let vocabulary: GrammarVocabulary;
  beforeAll(async () => {
    const path = join(llamaCppModelsFolder(), "ggml-vocab-gpt-2.gguf");
    vocabulary = buildGrammarVocabulary(await loadVocabulary(path));
  });

  it.each(CASES)("equals a check of each token: %s", (_, schema, text) => {
    const grammar = new TokenGrammar(schemaGrammar(schema), new GrammarEpoch(vocabulary));
    for (const state of statesAlong(grammar, text)) {
      expect(differences(grammar, state, vocabulary)).toEqual([]);
    }
  });

  it("is independent of earlier requests", () => {
    const shared = new GrammarEpoch(vocabulary);
    const masksOf = (grammar: Grammar, text: string, epoch: GrammarEpoch) => {
      const followed = new TokenGrammar(grammar, epoch);
      return statesAlong(followed, text).map((state) => followed.maskOf(state));
    };
    for (const [, schema, text] of CASES) {
      const grammar = schemaGrammar(schema);
      expect(masksOf(grammar, text, shared)).toEqual(
        masksOf(grammar, text, new GrammarEpoch(vocabulary)),
      );
    }
  });
});
