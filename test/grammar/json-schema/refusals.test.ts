import { describe, expect, it } from "vitest";
import { UnsupportedGrammar } from "../../../src/grammar/errors.js";
import { schemaGrammar } from "../../../src/grammar/json-schema/schema-grammar.js";

const UNSUPPORTED = "this keyword is not supported";

const CASES: readonly (readonly [name: string, schema: unknown, path: string, message: string])[] =
  [
    ["minContains", { contains: {}, minContains: 2 }, "minContains", UNSUPPORTED],
    ["maxContains", { contains: {}, maxContains: 2 }, "maxContains", UNSUPPORTED],
    [
      "contains with a very large maxItems",
      { type: "array", contains: { const: 1 }, maxItems: 2_000 },
      "",
      "expected smaller values of minItems, maxItems and minContains",
    ],
    [
      "a negation that requires a member with an arbitrary name",
      { type: "object", not: { additionalProperties: { type: "string" } } },
      "",
      "a required member whose name is arbitrary is not supported",
    ],
    [
      "unevaluatedProperties",
      { unevaluatedProperties: false },
      "unevaluatedProperties",
      UNSUPPORTED,
    ],
    ["unevaluatedItems", { unevaluatedItems: false }, "unevaluatedItems", UNSUPPORTED],
    ["$dynamicRef", { $dynamicRef: "#a" }, "$dynamicRef", UNSUPPORTED],
    ["$recursiveRef", { $recursiveRef: "#" }, "$recursiveRef", UNSUPPORTED],
    ["keywords of draft 3", { disallow: "string" }, "disallow", UNSUPPORTED],
    ["uniqueItems", { type: "array", uniqueItems: true }, "uniqueItems", UNSUPPORTED],
    [
      "a deeply nested keyword",
      { properties: { a: { items: { uniqueItems: true } } } },
      "properties/a/items/uniqueItems",
      UNSUPPORTED,
    ],
    [
      "minProperties of unknown names",
      { properties: { a: { minProperties: 2 } } },
      "properties/a/minProperties",
      "expected at most one more than the number of required properties",
    ],
    [
      "a format without a pattern",
      { type: "string", format: "regex" },
      "format",
      'the format "regex" is not supported',
    ],
    ["a back reference", { type: "string", pattern: "(a)\\1" }, "pattern", "back reference"],
    ["an invalid pattern", { type: "string", pattern: "(" }, "pattern", ""],
    [
      "an invalid pattern in patternProperties",
      { patternProperties: { "[": {} } },
      "patternProperties/[",
      "",
    ],
    [
      "a schema of another type",
      { properties: { a: 1 } },
      "properties/a",
      "expected a schema, got 1",
    ],
    ["null instead of a schema", null, "", "expected a schema, got null"],
    [
      "an unknown type",
      { type: "text" },
      "type",
      'expected one of null, boolean, number, integer, string, array, object, or a list of them, got "text"',
    ],
    ["a list of unknown types", { type: ["string", "any"] }, "type", 'got ["string","any"]'],
    [
      "a type named like a property of Object.prototype",
      { type: "constructor" },
      "type",
      'got "constructor"',
    ],
    ["a bound that is not a number", { minimum: "1" }, "minimum", 'expected a number, got "1"'],
    [
      "an infinite bound",
      { maximum: Number.POSITIVE_INFINITY },
      "maximum",
      "expected a number that is representable, got Infinity",
    ],
    ["multipleOf 0", { multipleOf: 0 }, "multipleOf", "expected a positive number, got 0"],
    [
      "a large multipleOf",
      { type: "integer", multipleOf: 1_000_000_007 },
      "multipleOf",
      "multiples of this number are not supported",
    ],
    [
      "a negative multipleOf",
      { multipleOf: -1 },
      "multipleOf",
      "expected a positive number, got -1",
    ],
    [
      "an unsupported multipleOf",
      { type: "number", multipleOf: 0.7 },
      "multipleOf",
      "multiples of this number are not supported",
    ],
    ["a negative count", { minLength: -1 }, "minLength", "expected a non-negative integer, got -1"],
    [
      "a count that is not an integer",
      { maxItems: 1.5 },
      "maxItems",
      "expected a non-negative integer, got 1.5",
    ],
    ["a pattern that is not a string", { pattern: 1 }, "pattern", "expected a string, got 1"],
    ["an enum that is not an array", { enum: "a" }, "enum", 'expected an array, got "a"'],
    [
      "properties that are an array",
      { properties: [] },
      "properties",
      "expected an object, got []",
    ],
    [
      "required names that are not strings",
      { required: [1] },
      "required",
      "expected an array of strings, got [1]",
    ],
    ["alternatives that are not an array", { anyOf: {} }, "anyOf", "expected an array, got {}"],
    ["a reference that is not a string", { $ref: 1 }, "$ref", "expected a string"],
    [
      "a reference within a property",
      { properties: { a: { $ref: "#/b" } } },
      "properties/a/$ref",
      'got "#/b"',
    ],
    [
      "an alternative of oneOf that cannot be negated",
      {
        oneOf: [
          { type: "number", multipleOf: 2 },
          { type: "number", multipleOf: 3 },
        ],
      },
      "oneOf/1",
      "the negation of this schema is not supported",
    ],
    [
      "an unsupported negation",
      { not: { type: "array", items: { type: "integer", multipleOf: 3 } } },
      "not/items",
      "the negation of this schema is not supported",
    ],
    [
      "a schema that only references itself",
      { $ref: "#" },
      "",
      "expected a schema without circular references",
    ],
    [
      "a reference cycle",
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
      "$defs/a",
      "expected a schema without circular references",
    ],
  ];

/** Schemas that no value satisfies. */
const EMPTY: readonly (readonly [name: string, schema: unknown])[] = [
  ["false", false],
  ["an empty enumeration", { enum: [] }],
  ["mutually exclusive types", { type: "string", allOf: [{ type: "null" }] }],
  ["mutually exclusive lengths", { type: "string", minLength: 2, maxLength: 1 }],
  [
    "mutually exclusive patterns",
    { type: "string", allOf: [{ pattern: "^a+$" }, { pattern: "^b+$" }] },
  ],
  ["a pattern that is too long", { type: "string", pattern: "^a{5}$", maxLength: 4 }],
  [
    "a required property with the schema false",
    { type: "object", properties: { a: false }, required: ["a"] },
  ],
  [
    "more required names than maxProperties",
    { type: "object", required: ["a", "b"], maxProperties: 1 },
  ],
  [
    "fewer possible names than minProperties",
    { type: "object", properties: { a: {} }, additionalProperties: false, minProperties: 2 },
  ],
  [
    "a required name that propertyNames forbids",
    { type: "object", required: ["a"], propertyNames: { maxLength: 0 } },
  ],
  ["a required item with the schema false", { type: "array", items: false, minItems: 1 }],
  [
    "minProperties above the number of possible names",
    { type: "object", properties: { a: {} }, propertyNames: { enum: ["a"] }, minProperties: 2 },
  ],
  [
    "a value that must contain itself",
    { type: "object", properties: { a: { $ref: "#" } }, required: ["a"] },
  ],
  ["an array that must contain itself", { type: "array", items: { $ref: "#" }, minItems: 1 }],
];

function refusalOf(schema: unknown): UnsupportedGrammar | undefined {
  try {
    schemaGrammar(schema);
    return undefined;
  } catch (error) {
    if (error instanceof UnsupportedGrammar) return error;
    throw error;
  }
}

describe("rejection of schemas", () => {
  it.each(CASES)("%s", (_, schema, path, message) => {
    const refusal = refusalOf(schema);
    expect(refusal?.path.join("/")).toBe(path);
    expect(refusal?.message).toContain(message);
  });

  it.each(EMPTY)("if no value satisfies the schema: %s", (_, schema) => {
    expect(refusalOf(schema)?.message).toBe("expected a schema that a value can satisfy");
  });

  it("shows only the beginning of long values", () => {
    const refusal = refusalOf({ minimum: "x".repeat(500) });
    expect(refusal?.message.length).toBeLessThan(120);
  });
});
