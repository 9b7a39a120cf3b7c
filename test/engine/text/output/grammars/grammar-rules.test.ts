import { describe, expect, it } from "vitest";
import type { OutputConstraint } from "../../../../../src/core/output-constraint.js";
import { GrammarRules } from "../../../../../src/engine/text/output/grammars/grammar-rules.js";
import { refusal } from "../../../../support/refusal.js";

const refusalOf = (constraint: OutputConstraint) =>
  refusal(() => new GrammarRules().add({ constraint, field: "f" }));

describe("the grammar of a constraint", () => {
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
      "expected a schema that a value can satisfy",
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
      "expected a schema that a value can satisfy",
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
      "expected a schema that a value can satisfy",
    ],
    [
      {
        type: "json-schema",
        schema: { type: "object", properties: { a: false }, anyOf: [{ required: ["a"] }] },
      },
      "f",
      "expected a schema that a value can satisfy",
    ],
    [{ type: "regex", pattern: "(a" }, "f", "character 3"],
    [{ type: "regex", pattern: "a$b" }, "f", "expected an expression that matches some text"],
    [{ type: "regex", pattern: "(?=b)a" }, "f", "expected an expression that matches some text"],
    [{ type: "regex", pattern: "[^\\s\\S]" }, "f", "expected an expression that matches some text"],
    [
      { type: "regex", pattern: "x(?!a)a|a$b" },
      "f",
      "expected an expression that matches some text",
    ],
    [
      { type: "gbnf", text: "root ::= [^\\x00-\\U0010FFFF]" },
      "f",
      "line 1, column 1: rule root: expected a rule that matches some text",
    ],
    [
      { type: "gbnf", text: 'root ::= "a" a\na ::= "b" b\nb ::= "c" [^\\x00-\\U0010FFFF]' },
      "f",
      "line 3, column 1: rule b: expected a rule that matches some text",
    ],
    [
      { type: "gbnf", text: 'root ::= "a" next\nnext ::= "b" root' },
      "f",
      "line 2, column 1: rule next: expected a rule that matches some text",
    ],
    [{ type: "regex", pattern: "(a)\\1" }, "f", "a back reference"],
    [{ type: "gbnf", text: 'root ::= root "a" | "b"' }, "f", "left recursion"],
    [{ type: "gbnf", text: 'item ::= "a"' }, "f", "expected a rule with the name root"],
    [{ type: "gbnf", text: "root ::= item" }, "f", "rule item is not defined"],
  ])("is rejected with the position and the reason: %j", (constraint, field, reason) => {
    const error = refusalOf(constraint);
    expect(error).toMatchObject({ code: "invalid_request", param: field });
    expect(error.details).toEqual([{ field, reason: expect.stringContaining(reason) }]);
  });

  it("is rejected if it requires too much work", () => {
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
    const error = refusalOf(constraint);
    expect(error.message).toContain("f");
    expect(error.details[0]?.reason).toMatch(/takes too long|expected at most/);
  });
});

describe("the rules of several constraints", () => {
  it("do not collide, for any rule names of a grammar", () => {
    const rules = new GrammarRules();
    const { json, "json-object": object } = rules.all;
    const text = 'root ::= json\njson ::= "x" json-object | "z"\njson-object ::= "y" json';
    rules.add({ constraint: { type: "gbnf", text }, field: "grammar" });
    expect(rules.all).toMatchObject({ json, "json-object": object });
  });
});
