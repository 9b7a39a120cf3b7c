import { describe, expect, it } from "vitest";
import type { GrammarNode } from "../../src/grammar/grammar.js";
import { schemaGrammar } from "../../src/grammar/json-schema/schema-grammar.js";
import { allows } from "../../src/grammar/mask/token-mask.js";
import { GrammarEpoch, TokenGrammar } from "../../src/grammar/token-grammar.js";
import { followed, vocabularyOf } from "../support/follow-grammar.js";

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

const VOCABULARY = vocabularyOf(["ab", "a", "b", "c", "abc"], ["[CALL]", "[OTHER]"]);
const CALL = 5;

function grammarOf(root: GrammarNode): TokenGrammar {
  return new TokenGrammar({ root, rules: {} }, new GrammarEpoch(VOCABULARY));
}

describe("TokenGrammar", () => {
  it("accepts tokens up to the end", () => {
    const grammar = grammarOf({ type: "words", words: ["abc", "abab"] });
    const behindAb = grammar.advanceByToken(grammar.start, 0);
    if (behindAb === undefined) throw new Error("expected ab to be allowed");
    expect(grammar.canEnd(behindAb)).toBe(false);
    const behindAbc = grammar.advanceByToken(behindAb, 3);
    if (behindAbc === undefined) throw new Error("expected abc to be allowed");
    expect(grammar.canEnd(behindAbc)).toBe(true);
    expect(grammar.mustEnd(behindAbc)).toBe(true);
    expect(grammar.advanceByToken(behindAbc, 3)).toBeUndefined();
    expect(grammar.advanceByToken(behindAb, 4)).toBeUndefined();
  });

  it("supports states that may both end and continue", () => {
    const grammar = grammarOf({ type: "words", words: ["ab", "abc"] });
    const behindAb = grammar.advanceByToken(grammar.start, 0);
    if (behindAb === undefined) throw new Error("expected ab to be allowed");
    expect(grammar.canEnd(behindAb)).toBe(true);
    expect(grammar.mustEnd(behindAb)).toBe(false);
  });

  it("can return to a stored state", () => {
    const grammar = grammarOf({ type: "words", words: ["abc", "ac"] });
    const { start } = grammar;
    grammar.advanceByToken(start, 1);
    expect(grammar.advanceByToken(start, 0)).toBe(grammar.advanceByToken(start, 0));
    expect(grammar.start).toBe(start);
  });

  it("allows a control token, but not the same text", () => {
    const grammar = grammarOf({
      type: "sequence",
      parts: [
        { type: "control-token", text: "[CALL]" },
        { type: "words", words: ["c"] },
      ],
    });
    expect(grammar.advanceByToken(grammar.start, CALL)).toBeDefined();
    expect(grammar.advanceByToken(grammar.start, CALL + 1)).toBeUndefined();
    expect(grammar.advanceByBytes(grammar.start, Buffer.from("[CALL]"))).toBeUndefined();
    const mask = grammar.maskOf(grammar.start);
    expect([0, 1, 2, 3, 4, CALL, CALL + 1].filter((token) => allows(mask, token))).toEqual([CALL]);
  });

  it("never allows a control token within a string", () => {
    const grammar = new TokenGrammar(
      schemaGrammar({ type: "string" }),
      new GrammarEpoch(VOCABULARY),
    );
    const inside = grammar.advanceByBytes(grammar.start, Buffer.from('"x'));
    if (inside === undefined) throw new Error("expected a string to be allowed");
    expect(grammar.advanceByToken(inside, CALL)).toBeUndefined();
    expect(allows(grammar.maskOf(inside), CALL)).toBe(false);
  });
});

describe("forcedBytes", () => {
  const OBJECT = {
    type: "object",
    properties: { kind: { const: "cat" }, lives: { type: "integer" } },
    required: ["kind", "lives"],
    additionalProperties: false,
  };

  it.each<[string, unknown, string, string]>([
    ["the opening brace of an object", OBJECT, "", "{"],
    ["the rest of the first key", OBJECT, '{"', 'kind":'],
    ["empty where a space is allowed", OBJECT, '{"kind":', ""],
    ["the rest of a constant and the following text", OBJECT, '{"kind":"', 'cat",'],
    ["the comma before another required member", OBJECT, '{"kind":"cat"', ","],
    ["the common prefix of the values of an enum", { enum: ["deploy", "deny"] }, "", '"de'],
    ["empty where the text may end", { enum: [1, 12] }, "1", ""],
    ["empty after the end", { const: "a" }, '"a"', ""],
  ])("is %s", (_, schema, text, forced) => {
    const grammar = followed(schemaGrammar(schema));
    const state = grammar.advanceByBytes(grammar.start, Buffer.from(text));
    if (state === undefined) throw new Error(`expected ${text} to be allowed`);
    expect(textOf(grammar.computeForcedBytes(state, 100))).toBe(forced);
  });

  it("contains at most the requested number of bytes", () => {
    const grammar = followed(schemaGrammar({ const: "a long constant" }));
    expect(textOf(grammar.computeForcedBytes(grammar.start, 4))).toBe('"a l');
  });

  it("stops where a control token is possible", () => {
    const grammar = grammarOf({
      type: "choice",
      options: [
        { type: "control-token", text: "[CALL]" },
        { type: "words", words: ["abc"] },
      ],
    });
    expect(textOf(grammar.computeForcedBytes(grammar.start, 4))).toBe("");
  });
});
