import { describe, expect, it } from "vitest";
import { UnsupportedGrammar, WorkLimitExceeded } from "../../../src/grammar/errors.js";
import { RegularLanguages } from "../../../src/grammar/json-schema/regular-languages.js";
import { schemaGrammar } from "../../../src/grammar/json-schema/schema-grammar.js";
import { ExpressionStore } from "../../../src/grammar/language/expression-store.js";
import { followed } from "../../support/follow-grammar.js";

function times<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function record(
  count: number,
  make: (index: number) => readonly [string, unknown],
): Record<string, unknown> {
  return Object.fromEntries(times(count, make));
}

/** Nests a schema within itself. */
function nested(
  depth: number,
  within: (schema: unknown) => unknown,
  innermost: unknown = {},
): unknown {
  let schema = innermost;
  for (let level = 0; level < depth; level++) schema = within(schema);
  return schema;
}

const ACCEPTED: readonly (readonly [string, unknown])[] = [
  ["10,000 listed texts", { enum: times(10_000, (index) => `value ${index}`) }],
  ["10,000 listed numbers", { enum: times(10_000, (index) => index * 7) }],
  [
    "2,000 properties",
    { type: "object", properties: record(2_000, (index) => [`name${index}`, { type: "integer" }]) },
  ],
  [
    "2,000 required properties",
    {
      type: "object",
      properties: record(2_000, (index) => [`name${index}`, { type: "integer" }]),
      required: times(2_000, (index) => `name${index}`),
      additionalProperties: false,
    },
  ],
  [
    "40 conditions on a constant",
    {
      type: "object",
      properties: { kind: { type: "string" } },
      allOf: times(40, (index) => ({
        if: { properties: { kind: { const: `kind ${index}` } } },
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
        then: { properties: { value: { const: index } } },
      })),
    },
  ],
  ["strings of a million characters", { type: "string", minLength: 10, maxLength: 1_000_000 }],
  [
    "arrays of a million items",
    { type: "array", items: { type: "integer" }, minItems: 3, maxItems: 1_000_000 },
  ],
  ["objects of a million members", { type: "object", maxProperties: 1_000_000, minProperties: 1 }],
  [
    "objects within objects",
    nested(200, (inner) => ({ type: "object", properties: { a: inner }, required: ["a"] })),
  ],
  ["arrays within arrays", nested(200, (items) => ({ type: "array", items }))],
  [
    "alternatives within alternatives",
    nested(100, (inner) => ({ anyOf: [{ type: "null" }, inner] })),
  ],
  [
    "a thousand definitions that reference each other",
    {
      $ref: "#/$defs/d0",
      $defs: record(1_000, (index) => [
        `d${index}`,
        {
          type: "object",
          properties: {
            next: { $ref: `#/$defs/d${(index + 1) % 1_000}` },
            other: { $ref: `#/$defs/d${(index * 7) % 1_000}` },
          },
        },
      ]),
    },
  ],
  ["a pattern of nested repetitions", { type: "string", pattern: "^(a+)+$" }],
  ["a pattern of ambiguous alternatives", { type: "string", pattern: "^(a|a|aa)*b(a|b)*$" }],
  [
    "oneOf with a hundred types of objects",
    {
      oneOf: times(100, (index) => ({
        type: "object",
        properties: { kind: { const: `k${index}` } },
        required: ["kind"],
      })),
    },
  ],
];

const ANYTHING: readonly (readonly [string, unknown])[] = [
  [
    "a product of alternatives",
    {
      allOf: times(30, (index) => ({
        anyOf: [
          { properties: { [`a${index}`]: { type: "integer" } } },
          { properties: { [`b${index}`]: { type: "string" } } },
        ],
      })),
    },
  ],
  [
    "a product of exclusive alternatives",
    {
      allOf: times(12, (index) => ({
        oneOf: times(4, (one) => ({ required: [`n${index}-${one}`] })),
      })),
    },
  ],
  [
    "a product of dependencies",
    {
      dependentRequired: record(60, (index) => [`a${index}`, [`b${index}`]]),
    },
  ],
  [
    "a product of conditions",
    {
      allOf: times(30, (index) => ({
        if: { required: [`a${index}`] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: [`b${index}`] },
      })),
    },
  ],
  [
    "a product of overlapping patternProperties",
    {
      type: "object",
      patternProperties: record(40, (index) => [
        `${String.fromCharCode(97 + (index % 26))}.*${index}`,
        { minimum: index },
      ]),
    },
  ],
  [
    "a product of patterns",
    {
      type: "string",
      allOf: times(14, (index) => ({
        pattern: `${String.fromCharCode(97 + index)}.{${index + 3}}x`,
      })),
    },
  ],
  [
    "a pattern that depends on distant earlier characters",
    { type: "string", pattern: "^(a|b)*a(a|b){40}$", not: { pattern: "b$" } },
  ],
  [
    "nested counts",
    { type: "string", pattern: "^(((a{1,100}){1,100}){1,100}){1,100}$", not: { const: "a" } },
  ],
  [
    "very many alternatives of texts",
    {
      allOf: times(8, () => ({
        anyOf: times(8, (index) => ({ pattern: `^[a-z]*${index}[a-z]*$` })),
      })),
    },
  ],
  [
    "nested negations",
    nested(40, (inner) => ({ not: { anyOf: [inner, { pattern: "a.*b" }] } }), { pattern: "c" }),
  ],
  ["deep references", nested(1_000, (inner) => ({ properties: { a: inner } }))],
  ["deep arrays", nested(1_000, (inner) => ({ items: inner }))],
  [
    "very long tuples",
    { type: "array", prefixItems: times(10_000, () => ({ type: "integer" })), minItems: 10_000 },
  ],
  ["a long constant", { const: times(5_000, (index) => index) }],
  [
    "a long chain of references",
    {
      $ref: "#/$defs/d0",
      $defs: {
        ...record(3_000, (index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]),
        d3000: {},
      },
    },
  ],
  ["schemas within allOf within allOf", nested(1_000, (inner) => ({ allOf: [inner] }))],
  ["3,000 listed objects", { enum: times(3_000, (index) => ({ id: index, name: `n${index}` })) }],
  [
    "100 mutually exclusive patternProperties",
    {
      type: "object",
      patternProperties: record(100, (index) => [`^p${index}_`, { type: "integer" }]),
      additionalProperties: false,
    },
  ],
  [
    "very many required names",
    { type: "object", required: times(3_000, (index) => `name${index}`) },
  ],
];

function compiles(schema: unknown): boolean {
  try {
    const grammar = followed(schemaGrammar(schema));
    grammar.maskOf(grammar.start);
    return true;
  } catch (error) {
    if (error instanceof UnsupportedGrammar || error instanceof WorkLimitExceeded) return false;
    throw error;
  }
}

describe("large schemas", () => {
  it.each(ACCEPTED)("are compiled: %s", (_, schema) => {
    expect(compiles(schema)).toBe(true);
  });

  it.each<[string, unknown, string]>([
    [
      "tuples",
      { type: "array", prefixItems: times(2_000, () => ({})) },
      "expected at most 1000 items",
    ],
    [
      "references",
      {
        $ref: "#/$defs/d0",
        $defs: record(400, (index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]),
      },
      "expected at most 200 nested references",
    ],
  ])("are rejected with a reason: %s", (_, schema, reason) => {
    expect(() => schemaGrammar(schema)).toThrow(reason);
  });

  it("are rejected with the path of a schema whose expression has too many states", () => {
    const pattern = "^(?!.*://)(?=.{1,255}$)((.{1,63}\\.){1,127}(?![0-9]*$)[a-z0-9-]+)$";
    const schema = { properties: { domain: { type: "string", pattern } } };
    expect(() => schemaGrammar(schema)).toThrow(
      expect.objectContaining({
        path: ["properties", "domain"],
        message: "expected a simpler expression; this one takes too long to compile",
      }),
    );
  });

  it("count every membership test of a text against the work limit", () => {
    const store = new ExpressionStore();
    const languages = new RegularLanguages(store);
    const language = languages.withPattern("^[a-z]+$");
    languages.allHave([language], "some text");
    const lookUp = () => times(1_000, () => languages.allHave([language], "some text"));
    expect(() => store.meter.limit(1_000, lookUp)).toThrow(WorkLimitExceeded);
  });

  it.each(ANYTHING)("are compiled or rejected within the limits: %s", (_, schema) => {
    expect([true, false]).toContain(compiles(schema));
  });
});
