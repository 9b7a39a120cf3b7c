import { describe, expect, it } from "vitest";
import { type Constraint, constraintGrammar } from "../../src/grammar/constraint-grammar.js";
import { accepts, followed } from "../support/follow-grammar.js";

const acceptedBy = (constraint: Constraint, texts: readonly string[]) => {
  const grammar = followed(constraintGrammar(constraint));
  return texts.filter((text) => accepts(grammar, text));
};

describe("the grammar of a constraint", () => {
  it.each<[Constraint, readonly string[], readonly string[]]>([
    [
      { type: "json-schema", schema: { type: "object", properties: { a: { const: 1 } } } },
      ["{}", '{"a":1}', '{"a": 1}', '{"b":2}'],
      ['{"a":2}', "[]", "", '{"a":1} '],
    ],
    [{ type: "json-schema", schema: true }, ["1", "[]", '"a"'], ["", "a"]],
    [{ type: "regex", pattern: "a+b" }, ["ab", "aab"], ["b", "xab", "abx"]],
    [{ type: "regex", pattern: "^a|b$" }, ["a", "b"], ["ab", ""]],
    [{ type: "regex", pattern: "." }, ["é", "𝄞"], ["\n", ""]],
    [{ type: "choice", options: ["yes", "yes!", "é"] }, ["yes", "yes!", "é"], ["", "ye", "yes!!"]],
    [{ type: "gbnf", text: 'root ::= a+\na ::= "x" [0-9]' }, ["x1", "x1x2"], ["", "x", "1"]],
    [{ type: "regex", pattern: "a$b|cd|c(?=e)f" }, ["cd"], ["a", "ab", "ce", "cf"]],
    [
      {
        type: "gbnf",
        text: 'root ::= "a" | "b" none | "c" none* "d"\nnone ::= [^\\x00-\\U0010FFFF]',
      },
      ["a", "cd"],
      ["b", "c"],
    ],
  ])("accepts exactly the texts of %j", (constraint, accepted, others) => {
    expect(acceptedBy(constraint, [...accepted, ...others])).toEqual(accepted);
  });

  it.each<[Constraint, string]>([
    [{ type: "regex", pattern: "a$b|cd|c(?=e)f" }, "a"],
    [{ type: "regex", pattern: "a(?=b)c|d" }, "a"],
    [{ type: "gbnf", text: 'root ::= "a" none | "d"\nnone ::= [^\\x00-\\U0010FFFF]' }, "a"],
    [{ type: "gbnf", text: 'root ::= "a" loop | "d"\nloop ::= "l" loop' }, "a"],
  ])("has no dead ends: %j", (constraint, deadEnd) => {
    const grammar = followed(constraintGrammar(constraint));
    expect(grammar.advanceByBytes(grammar.start, Buffer.from(deadEnd))).toBeUndefined();
  });
});
