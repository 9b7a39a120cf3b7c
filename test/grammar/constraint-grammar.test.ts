import { describe, expect, it } from "vitest";
import type { OutputConstraint } from "../../src/core/output-constraint.js";
import { constraintGrammar } from "../../src/grammar/constraint-grammar.js";
import { accepts, followed } from "../support/follow-grammar.js";
import { refusal } from "../support/refusal.js";

const acceptedBy = (constraint: OutputConstraint, texts: readonly string[]) => {
  const grammar = followed(constraintGrammar({ constraint, field: "f" }));
  return texts.filter((text) => accepts(grammar, text));
};

describe("the grammar of a constraint", () => {
  it.each<[OutputConstraint, readonly string[], readonly string[]]>([
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
  ])("has the texts of %j", (constraint, accepted, others) => {
    expect(acceptedBy(constraint, [...accepted, ...others])).toEqual(accepted);
  });

  it.each<[OutputConstraint, string, string]>([
    [
      { type: "json-schema", schema: { properties: { a: { type: "array", uniqueItems: true } } } },
      "f.properties.a.uniqueItems",
      "this keyword is not supported",
    ],
    [
      { type: "json-schema", schema: { anyOf: [{}, { type: "text" }] } },
      "f.anyOf.1.type",
      "expected one of null, boolean, number, integer, string, array, object",
    ],
    [
      { type: "json-schema", schema: { items: { pattern: "(?<=a)b", type: "string" } } },
      "f.items.pattern",
      "look-behind",
    ],
    [{ type: "json-schema", schema: [] }, "f", "expected a schema, got []"],
    [
      { type: "json-schema", schema: { type: "integer", minimum: 2, maximum: 1 } },
      "f",
      "expected a schema that some value satisfies",
    ],
    [
      {
        type: "json-schema",
        schema: {
          type: "object",
          properties: {
            a: { type: "array", minItems: 1, items: { type: "string", pattern: "a$b" } },
          },
          required: ["a"],
        },
      },
      "f.properties.a.items",
      "expected a schema that some value satisfies",
    ],
    [
      {
        type: "json-schema",
        schema: {
          allOf: [{ type: "object" }, { $ref: "#/$defs/pair" }],
          $defs: {
            pair: { type: "object", properties: { a: { $ref: "#/$defs/a" } }, required: ["a"] },
            a: { type: "string", enum: [1] },
          },
        },
      },
      "f.$defs.a",
      "expected a schema that some value satisfies",
    ],
    [
      {
        type: "json-schema",
        schema: { type: "object", properties: { a: false }, anyOf: [{ required: ["a"] }] },
      },
      "f",
      "expected a schema that some value satisfies",
    ],
    [{ type: "regex", pattern: "(a" }, "f", "character 3"],
    [{ type: "regex", pattern: "a$b" }, "f", "expected an expression that some text matches"],
    [{ type: "regex", pattern: "(?=b)a" }, "f", "expected an expression that some text matches"],
    [{ type: "regex", pattern: "[^\\s\\S]" }, "f", "expected an expression that some text matches"],
    [{ type: "regex", pattern: "x(?!a)a|a$b" }, "f", "expected an expression that some text"],
    [
      { type: "gbnf", text: "root ::= [^\\x00-\\U0010FFFF]" },
      "f",
      "line 1, column 1: rule root: expected a rule that some text matches",
    ],
    [
      { type: "gbnf", text: 'root ::= "a" a\na ::= "b" b\nb ::= "c" [^\\x00-\\U0010FFFF]' },
      "f",
      "line 3, column 1: rule b: expected a rule that some text matches",
    ],
    [
      { type: "gbnf", text: 'root ::= "a" next\nnext ::= "b" root' },
      "f",
      "line 2, column 1: rule next: expected a rule that some text matches",
    ],
    [{ type: "regex", pattern: "(a)\\1" }, "f", "a back reference"],
    [{ type: "gbnf", text: 'root ::= root "a" | "b"' }, "f", "left recursion"],
    [{ type: "gbnf", text: 'item ::= "a"' }, "f", "expected a rule with the name root"],
    [{ type: "gbnf", text: "root ::= item" }, "f", "there is no rule item"],
  ])("is refused with the place and the reason: %j", (constraint, field, reason) => {
    const error = refusal(() => constraintGrammar({ constraint, field: "f" }));
    expect(error).toMatchObject({ code: "invalid_request", param: field });
    expect(error.details).toEqual([{ field, reason: expect.stringContaining(reason) }]);
  });

  it.each<[OutputConstraint, string]>([
    [{ type: "regex", pattern: "a$b|cd|c(?=e)f" }, "a"],
    [{ type: "regex", pattern: "a(?=b)c|d" }, "a"],
    [{ type: "gbnf", text: 'root ::= "a" none | "d"\nnone ::= [^\\x00-\\U0010FFFF]' }, "a"],
    [{ type: "gbnf", text: 'root ::= "a" loop | "d"\nloop ::= "l" loop' }, "a"],
  ])("has no dead ends: %j", (constraint, deadEnd) => {
    const grammar = followed(constraintGrammar({ constraint, field: "f" }));
    expect(grammar.afterBytes(grammar.start, Buffer.from(deadEnd))).toBeUndefined();
  });

  it("is refused where it takes too much work", () => {
    // Each level names the next one twice, with different alternatives.
    const levels = Array.from({ length: 30 }, (_, level) => [
      `l${level}`,
      {
        allOf: [0, 1].map((side) => ({
          anyOf: [{ $ref: `#/$defs/l${level + 1}` }, { required: [`${side}${level}`] }],
        })),
      },
    ]);
    const schema = { $ref: "#/$defs/l0", $defs: { ...Object.fromEntries(levels), l30: {} } };
    const constraint = { type: "json-schema", schema } as const;
    const error = refusal(() => constraintGrammar({ constraint, field: "f" }));
    expect(error.message).toContain("f");
    expect(error.details[0]?.reason).toMatch(/too much work|expected at most/);
  });
});
