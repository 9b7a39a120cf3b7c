import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { llamaCppModelsFolder } from "../../../models/random/llama-cpp-source.js";
import { GgufdError } from "../../../src/core/errors.js";
import type { OutputConstraint } from "../../../src/core/output-constraint.js";
import { GrammarProgress } from "../../../src/engine/constraints/grammar-progress.js";
import { buildGrammarVocabulary, loadVocabulary } from "../../../src/engine/grammar-vocabulary.js";
import { GrammarRules } from "../../../src/engine/text/output/grammars/grammar-rules.js";
import { allows } from "../../../src/grammar/mask/token-mask.js";
import {
  GrammarEpoch,
  type GrammarVocabulary,
  TokenGrammar,
} from "../../../src/grammar/token-grammar.js";

const STEPS = 8;

const doubled = Array.from(
  { length: 40 },
  (_, index) => `r${index} ::= r${index + 1} r${index + 1}?`,
);
const lookaheads = (lengths: readonly number[]) =>
  `${lengths.map((length) => `(?=(a{${length}})+$)`).join("")}a{1,}`;

/**
 * Each of these once took minutes, because states doubled or multiplied in the order of the rules.
 */
const CONSTRAINTS: readonly (readonly [string, OutputConstraint])[] = [
  [
    "rules that are ambiguous in every way",
    { type: "gbnf", text: 'root ::= s\ns ::= "a" | "a" s | "a" s s | "a" s s s' },
  ],
  [
    "rules that double",
    { type: "gbnf", text: `${doubled.join("\n")}\nr40 ::= "a"?\nroot ::= r0 "b"` },
  ],
  [
    "counts of counts of an optional letter",
    { type: "gbnf", text: "root ::= (((a{1000}){1000}){1000}){1000}\na ::= [a-z]?" },
  ],
  ["counts of counts", { type: "regex", pattern: "((a{1,100}){1,100}){1,100}" }],
  ["texts whose length has many divisors", { type: "regex", pattern: lookaheads([7, 9, 11, 13]) }],
  [
    "strings whose length has many divisors",
    { type: "json-schema", schema: { type: "string", pattern: lookaheads([7, 9, 11, 13]) } },
  ],
  [
    "multiples of a large number",
    { type: "json-schema", schema: { type: "integer", multipleOf: 1_000_000_007 } },
  ],
];

describe("hostile grammars", () => {
  let epoch: GrammarEpoch;
  beforeAll(async () => {
    const path = join(llamaCppModelsFolder(), "ggml-vocab-gpt-2.gguf");
    const vocabulary: GrammarVocabulary = buildGrammarVocabulary(await loadVocabulary(path));
    epoch = new GrammarEpoch(vocabulary);
  });

  /** Repeatedly accepts the last token allowed by the mask. */
  const follow = (constraint: OutputConstraint) => {
    const rules = new GrammarRules();
    const root = rules.add({ field: "grammar", constraint });
    const grammar = new TokenGrammar({ root, rules: rules.all }, epoch);
    const progress = new GrammarProgress({
      grammar,
      endOfGeneration: new Set(),
      tokenize: () => [],
    });
    for (let step = 0; step < STEPS && !progress.isComplete; step++) {
      const mask = progress.allowedTokens();
      const token = Array.from({ length: mask.length * 32 }, (_, id) => id).findLast((id) =>
        allows(mask, id),
      );
      if (token === undefined) throw new Error("a dead end");
      expect(progress.allows(token)).toBe(true);
      progress.accept(token);
    }
  };

  it.each(CONSTRAINTS)("can be matched for some tokens, or are aborted: %s", (_, constraint) => {
    try {
      follow(constraint);
    } catch (error) {
      expect(error).toBeInstanceOf(GgufdError);
      expect(error).toMatchObject({ code: "invalid_request" });
    }
  });

  it("are aborted with an error that names the limit", () => {
    const [, ambiguous] = CONSTRAINTS[2] ?? [];
    if (ambiguous === undefined) throw new Error("expected a constraint");
    expect(() => follow(ambiguous)).toThrow("The grammar is too ambiguous.");
  });
});
