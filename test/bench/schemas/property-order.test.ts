import { parse } from "lossless-json";
import { describe, expect, it } from "vitest";
import type { LosslessJson } from "../../../bench/schemas/lossless-json.js";
import { inSchemaOrder } from "../../../bench/schemas/property-order.js";
import { pythonJson } from "../../../bench/schemas/python-json.js";

/** Names of a value's members in their written order, after sorting by a schema. */
function namesInOrder(text: string, schema: unknown): string {
  const written = pythonJson(inSchemaOrder(parse(text) as LosslessJson, schema));
  return [...written.matchAll(/"(\w+)":/g)].map(([, name]) => name).join(" ");
}

const BRANCHES = [
  { properties: { kind: { const: "x" }, a: {}, b: {} } },
  { properties: { b: {}, kind: { enum: ["y"] }, a: {} } },
];

const CASES: readonly (readonly [name: string, schema: unknown, text: string, names: string])[] = [
  [
    "of properties, followed by other members unchanged",
    { properties: { b: {}, a: {} } },
    '{"z":1,"a":1,"y":1,"b":1}',
    "b a z y",
  ],
  [
    "of nested members",
    { properties: { a: { properties: { c: {}, b: {} } } } },
    '{"a":{"b":1,"c":1}}',
    "a c b",
  ],
  ["of items", { items: { properties: { b: {}, a: {} } } }, '[{"a":1,"b":1}]', "b a"],
  [
    "of prefixItems",
    { prefixItems: [{}, { properties: { b: {}, a: {} } }] },
    '[{"a":1,"b":1},{"a":1,"b":1}]',
    "a b b a",
  ],
  [
    "of a reference",
    { $ref: "#/$defs/a~1b", $defs: { "a/b": { properties: { b: {}, a: {} } } } },
    '{"a":1,"b":1}',
    "b a",
  ],
  [
    "of a reference in draft 7, which ignores its siblings",
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      $ref: "#/definitions/x",
      properties: { a: {} },
      definitions: { x: { properties: { b: {} } } },
    },
    '{"a":1,"b":1}',
    "b a",
  ],
  [
    "of all parts of allOf",
    { allOf: [{ properties: { c: {} } }, { properties: { b: {} } }], properties: { d: {} } },
    '{"a":1,"b":1,"c":1,"d":1}',
    "d c b a",
  ],
  [
    "of the anyOf branch whose const is the value",
    { anyOf: BRANCHES },
    '{"kind":"x","a":1,"b":1}',
    "kind a b",
  ],
  [
    "of the oneOf branch whose enum contains the value",
    { oneOf: BRANCHES },
    '{"kind":"y","a":1,"b":1}',
    "b kind a",
  ],
  [
    "of the branch whose required members are present",
    {
      anyOf: [{ properties: { b: {}, a: {} }, required: ["c"] }, { properties: { a: {}, b: {} } }],
    },
    '{"b":1,"a":1}',
    "a b",
  ],
  [
    "of the branch that allows all members",
    {
      anyOf: [
        { properties: { b: {}, a: {} }, additionalProperties: false },
        { properties: { c: {}, a: {}, b: {} } },
      ],
    },
    '{"a":1,"b":1,"c":1}',
    "c a b",
  ],
  [
    "of the branch with the value's type",
    {
      properties: {
        v: { anyOf: [{ type: "array", properties: { b: {}, a: {} } }, { type: "object" }] },
      },
    },
    '{"v":{"a":1,"b":1}}',
    "v a b",
  ],
  [
    "of the referenced branch whose pattern matches",
    {
      oneOf: [{ $ref: "#/$defs/p" }, { properties: { kind: { pattern: "^q" }, a: {}, b: {} } }],
      $defs: { p: { allOf: [{ properties: { kind: { pattern: "^p" }, b: {}, a: {} } }] } },
    },
    '{"kind":"q1","b":1,"a":1}',
    "kind a b",
  ],
  [
    "of then if the condition holds",
    {
      if: { properties: { a: { const: 1 } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { c: {}, b: {} } },
      else: { properties: { b: {}, c: {} } },
    },
    '{"a":1,"b":1,"c":1}',
    "a c b",
  ],
  [
    "of else if the condition fails",
    {
      if: { properties: { a: { const: 1 } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { c: {}, b: {} } },
      else: { properties: { c: {}, b: {} } },
    },
    '{"a":2,"b":1,"c":1}',
    "c b a",
  ],
  ["of a constant", { const: { b: 1, a: { d: 1, c: 1 } } }, '{"a":{"c":1,"d":1},"b":1}', "b a c d"],
  [
    "of properties before integer-like names",
    { properties: { b: {} }, patternProperties: { "^\\d": {} } },
    '{"404":1,"b":1}',
    "b 404",
  ],
  [
    "of a recursive schema",
    { properties: { b: {}, next: { $ref: "#" } } },
    '{"next":{"next":1,"b":1},"b":1}',
    "b next b next",
  ],
];

describe("inSchemaOrder", () => {
  it.each(CASES)("sorts members in the order %s", (_, schema, text, names) => {
    expect(namesInOrder(text, schema)).toBe(names);
  });
});
