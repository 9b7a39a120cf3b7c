/** A schema, and values that it accepts and rejects. */
export interface KeywordCase {
  readonly of: string;
  readonly schema: unknown;
  readonly accepted: readonly unknown[];
  readonly rejected: readonly unknown[];
}

const STRING = { type: "string" };
const INTEGER = { type: "integer" };

export const KEYWORD_CASES: readonly KeywordCase[] = [
  { of: "no keyword", schema: {}, accepted: [null, 1, "a", [1], { a: {} }], rejected: [] },
  { of: "true", schema: true, accepted: [null, [], {}], rejected: [] },
  {
    of: "an annotation",
    schema: { title: "A", $comment: "b", examples: [1], readOnly: true, unknown: 1 },
    accepted: [1, "a"],
    rejected: [],
  },
  { of: "type", schema: STRING, accepted: ["", "a"], rejected: [1, null, ["a"]] },
  {
    of: "types",
    schema: { type: ["integer", "null"] },
    accepted: [1, null],
    rejected: ["1", 1.5, true],
  },
  {
    of: "number and integer",
    schema: { type: ["integer", "number"] },
    accepted: [1, 1.5],
    rejected: ["1"],
  },
  {
    of: "nullable",
    schema: { type: "string", nullable: true },
    accepted: ["a", null],
    rejected: [1],
  },
  {
    of: "const",
    schema: { const: { a: [1, null] } },
    accepted: [{ a: [1, null] }],
    rejected: [{ a: [1] }, {}, { a: [1, null], b: 1 }],
  },
  {
    of: "enum",
    schema: { enum: [1, "a", null, [], { b: 2 }] },
    accepted: [1, "a", null, [], { b: 2 }],
    rejected: [2, "b", {}, [1], true],
  },
  {
    of: "enum and type",
    schema: { enum: [1, "a", null], type: "string" },
    accepted: ["a"],
    rejected: [1, null],
  },
  {
    of: "enum and lengths",
    schema: { enum: ["a", "ab", "abc"], minLength: 2, maxLength: 2 },
    accepted: ["ab"],
    rejected: ["a", "abc"],
  },
  {
    of: "enum and pattern",
    schema: { enum: ["ab", "b", 1], pattern: "^a" },
    accepted: ["ab", 1],
    rejected: ["b"],
  },
  {
    of: "minLength, in characters",
    schema: { type: "string", minLength: 2 },
    accepted: ["ab", "éé", "😀😀"],
    rejected: ["", "a", "😀"],
  },
  {
    of: "maxLength, in characters",
    schema: { type: "string", maxLength: 2 },
    accepted: ["", "ab", "😀😀", '"\n'],
    rejected: ["abc", "éèê"],
  },
  {
    of: "pattern anywhere",
    schema: { type: "string", pattern: "b+c" },
    accepted: ["bc", "abbcd"],
    rejected: ["b", "acb"],
  },
  {
    of: "pattern of special characters",
    schema: { type: "string", pattern: '^["\\\\\\n]$' },
    accepted: ['"', "\\", "\n"],
    rejected: ["a", '""'],
  },
  {
    of: "a pattern and a length",
    schema: { type: "string", pattern: "^a*$", minLength: 2, maxLength: 3 },
    accepted: ["aa", "aaa"],
    rejected: ["a", "aaaa", "ab"],
  },
  {
    of: "two patterns",
    schema: { type: "string", allOf: [{ pattern: "^a" }, { pattern: "b$" }] },
    accepted: ["ab", "axb"],
    rejected: ["a", "b", "ba"],
  },
  {
    of: "items",
    schema: { type: "array", items: INTEGER },
    accepted: [[], [1, 2]],
    rejected: [["a"], [1, "a"]],
  },
  { of: "items: false", schema: { type: "array", items: false }, accepted: [[]], rejected: [[1]] },
  {
    of: "contains",
    schema: { type: "array", contains: { const: 1 } },
    accepted: [[1], [1, 1], [0, 1], [1, 0], ["a", 1, null]],
    rejected: [[], [0], ["a", null]],
  },
  {
    of: "contains and counts",
    schema: { type: "array", contains: { const: 1 }, minItems: 2, maxItems: 3 },
    accepted: [
      [1, 0],
      [0, 1],
      [0, 0, 1],
      [1, 1, 1],
      [1, 0, 0],
    ],
    rejected: [[1], [0, 0], [0, 0, 0, 1], [0, 0, 0]],
  },
  {
    of: "contains and prefixItems",
    schema: { type: "array", contains: { const: 1 }, prefixItems: [INTEGER, STRING] },
    accepted: [[1], [1, "a"], [0, "a", 1], [0, "a", 0, 1, 0]],
    rejected: [[], [0], [0, "a"], [0, 1], [0, "a", 0]],
  },
  {
    of: "several contains, which one item may satisfy",
    schema: {
      type: "array",
      allOf: [{ contains: { enum: [1, 2] } }, { contains: { enum: [2, 3] } }],
    },
    accepted: [[2], [1, 3], [3, 1], [0, 1, 0, 3], [2, 0]],
    rejected: [[1], [3], [1, 1], [0]],
  },
  {
    of: "contains and minContains of 0",
    schema: { type: "array", contains: { const: 1 }, minContains: 0 },
    accepted: [[], [0], [1]],
    rejected: [],
  },
  {
    of: "not contains",
    schema: { type: "array", not: { contains: { const: 1 } } },
    accepted: [[], [0], ["a"]],
    rejected: [[1], [0, 1]],
  },
  {
    of: "not items",
    schema: { type: "array", not: { items: STRING } },
    accepted: [[1], ["a", 1], [1, "a"], [1, 1]],
    rejected: [[], ["a"], ["a", "b"]],
  },
  {
    of: "not items behind prefixItems",
    schema: { type: "array", prefixItems: [STRING], not: { prefixItems: [{}], items: STRING } },
    accepted: [
      ["a", 1],
      ["a", "b", 1],
    ],
    rejected: [[1], [], ["a"], ["a", "b"]],
  },
  {
    of: "not additionalProperties",
    schema: {
      type: "object",
      properties: { a: INTEGER, b: INTEGER },
      additionalProperties: false,
      not: { properties: { a: INTEGER }, additionalProperties: false },
    },
    accepted: [{ b: 1 }, { a: 1, b: 1 }],
    rejected: [{}, { a: 1 }, { c: 1 }],
  },
  {
    of: "not additionalProperties, of open objects",
    schema: { type: "object", not: { properties: { a: {} }, additionalProperties: false } },
    accepted: [{ b: 1 }, { a: 1, b: 1 }, { b: 1, c: 2 }],
    rejected: [{}, { a: 1 }],
  },
  {
    of: "not patternProperties",
    schema: { type: "object", not: { patternProperties: { "^b": false } } },
    accepted: [{ b: 1 }, { a: 1, bb: 1 }, { bb: 1, a: 1 }],
    rejected: [{}, { a: 1 }],
  },
  {
    of: "not an object",
    schema: { type: "object", not: { const: { a: 1 } } },
    accepted: [{}, { a: 2 }, { b: 1 }, { a: 1, b: 1 }],
    rejected: [{ a: 1 }],
  },
  {
    of: "not propertyNames",
    schema: { type: "object", not: { propertyNames: { enum: ["a", "b"] } } },
    accepted: [{ c: 1 }, { a: 1, c: 1 }],
    rejected: [{}, { a: 1 }, { a: 1, b: 2 }],
  },
  {
    of: "oneOf of closed objects with names in common",
    schema: {
      type: "object",
      oneOf: [
        { properties: { a: INTEGER, b: INTEGER }, additionalProperties: false },
        { properties: { a: INTEGER, c: INTEGER }, additionalProperties: false },
      ],
    },
    accepted: [{ b: 1 }, { a: 1, b: 1 }, { a: 1, c: 1 }],
    rejected: [{}, { a: 1 }, { b: 1, c: 1 }],
  },
  {
    of: "oneOf of an open and a closed object",
    schema: {
      type: "object",
      oneOf: [
        { properties: { a: STRING }, required: ["a"] },
        { properties: { b: STRING }, additionalProperties: false },
      ],
    },
    accepted: [{ a: "a" }, { a: "a", b: "b" }, { b: "b" }, {}],
    rejected: [{ a: 1 }, { c: 1 }],
  },
  {
    of: "prefixItems",
    schema: { prefixItems: [INTEGER, STRING], type: "array" },
    accepted: [[], [1], [1, "a"], [1, "a", null]],
    rejected: [["a"], [1, 1]],
  },
  {
    of: "prefixItems and items",
    schema: { prefixItems: [INTEGER], items: STRING, type: "array" },
    accepted: [[1, "a", "b"]],
    rejected: [[1, 2]],
  },
  {
    of: "a list of items",
    schema: { items: [INTEGER], additionalItems: false, type: "array" },
    accepted: [[], [1]],
    rejected: [[1, 2], ["a"]],
  },
  {
    of: "minItems and maxItems",
    schema: { type: "array", minItems: 1, maxItems: 2, items: INTEGER },
    accepted: [[1], [1, 2]],
    rejected: [[], [1, 2, 3]],
  },
  {
    of: "an impossible item",
    schema: { type: "array", prefixItems: [INTEGER, false] },
    accepted: [[], [1]],
    rejected: [[1, 2]],
  },
  {
    of: "uniqueItems of one item",
    schema: { type: "array", uniqueItems: true, maxItems: 1 },
    accepted: [[], [1]],
    rejected: [[1, 1]],
  },
  {
    of: "uniqueItems: false",
    schema: { type: "array", uniqueItems: false, items: INTEGER },
    accepted: [[1, 1]],
    rejected: [["a"]],
  },
  {
    of: "properties",
    schema: { type: "object", properties: { a: INTEGER, b: STRING } },
    accepted: [{}, { a: 1 }, { a: 1, b: "x" }, { a: 1, c: null }],
    rejected: [{ a: "x" }, { b: 1 }],
  },
  {
    of: "properties in the order of their own schema, before that of a pattern of their name",
    schema: {
      properties: {
        first: { $ref: "#/$defs/backwards" },
        second: {
          properties: { a: { properties: { x: {}, y: {} } } },
          patternProperties: { "^a": { $ref: "#/$defs/backwards" } },
        },
      },
      $defs: { backwards: { properties: { y: {}, x: {} } } },
    },
    accepted: [{ first: { y: 1, x: 1 } }, { second: { a: { x: 1, y: 1 } } }],
    rejected: [{ first: { x: 1, y: 1 } }, { second: { a: { y: 1, x: 1 } } }],
  },
  {
    of: "properties in their order only",
    schema: { type: "object", properties: { b: {}, a: {} } },
    accepted: [
      { b: 1, a: 2 },
      { b: 1, a: 2, c: 3 },
    ],
    rejected: [
      { a: 2, b: 1 },
      { c: 3, b: 1 },
    ],
  },
  {
    of: "required",
    schema: { type: "object", properties: { a: {}, b: {} }, required: ["b"] },
    accepted: [{ b: 1 }, { a: 1, b: 1 }],
    rejected: [{}, { a: 1 }],
  },
  {
    of: "a required name that is no property",
    schema: {
      type: "object",
      properties: { a: {} },
      required: ["z"],
      additionalProperties: INTEGER,
    },
    accepted: [{ z: 1 }, { a: "x", z: 1 }, { y: 1, z: 2 }, { z: 1, y: 2 }],
    rejected: [{ a: 1 }, { z: "x" }],
  },
  {
    of: "additionalProperties: false",
    schema: { type: "object", properties: { a: {} }, additionalProperties: false },
    accepted: [{}, { a: 1 }],
    rejected: [{ b: 1 }, { a: 1, b: 1 }],
  },
  {
    of: "additionalProperties",
    schema: { type: "object", properties: { a: STRING }, additionalProperties: INTEGER },
    accepted: [{ a: "x", b: 1 }, { b: 1 }],
    rejected: [{ b: "x" }, { a: 1 }],
  },
  {
    of: "names that need escapes",
    schema: {
      type: "object",
      properties: { 'a"\n': INTEGER, é: STRING },
      additionalProperties: false,
    },
    accepted: [{ 'a"\n': 1, é: "x" }],
    rejected: [{ 'a"\n': "x" }, { é: 1 }],
  },
  {
    of: "an additional name is never one of the properties",
    schema: { type: "object", properties: { a: STRING } },
    accepted: [{ ab: 1 }, { "": 1 }],
    rejected: [{ b: 1, a: 1 }, { a: 1 }],
  },
  {
    of: "patternProperties",
    schema: {
      type: "object",
      patternProperties: { "^n": INTEGER, s$: STRING },
      additionalProperties: false,
    },
    accepted: [{ n: 1, s: "x" }, {}],
    rejected: [{ n: "x" }, { s: 1 }, { a: 1 }, { ns: 1 }, { ns: "x" }],
  },
  {
    of: "patternProperties and properties",
    schema: {
      type: "object",
      properties: { nx: { maximum: 5 } },
      patternProperties: { "^n": INTEGER },
    },
    accepted: [{ nx: 5, na: 9 }],
    rejected: [{ nx: 6 }, { nx: "a" }],
  },
  {
    of: "propertyNames",
    schema: { type: "object", propertyNames: { pattern: "^[ab]+$" } },
    accepted: [{}, { ab: 1 }],
    rejected: [{ c: 1 }, { "": 1 }],
  },
  {
    of: "propertyNames of an enumeration",
    schema: { type: "object", propertyNames: { enum: ["a", "b"] }, additionalProperties: INTEGER },
    accepted: [{ a: 1 }, { b: 1, a: 2 }],
    rejected: [{ c: 1 }],
  },
  {
    of: "propertyNames: false",
    schema: { type: "object", propertyNames: false },
    accepted: [{}],
    rejected: [{ a: 1 }],
  },
  {
    of: "minProperties and maxProperties",
    schema: { type: "object", minProperties: 1, maxProperties: 2 },
    accepted: [{ a: 1 }, { a: 1, b: 1 }],
    rejected: [{}, { a: 1, b: 1, c: 1 }],
  },
  {
    of: "minProperties of some",
    schema: {
      type: "object",
      properties: { a: {}, b: {}, c: {} },
      additionalProperties: false,
      minProperties: 2,
    },
    accepted: [
      { a: 1, b: 1 },
      { b: 1, c: 1 },
    ],
    rejected: [{ c: 1 }, {}],
  },
  {
    of: "minProperties beyond a required one",
    schema: { type: "object", required: ["a"], minProperties: 2 },
    accepted: [
      { a: 1, b: 1 },
      { a: 1, b: 1, c: 1 },
    ],
    rejected: [{ a: 1 }, { b: 1, c: 1 }],
  },
  {
    of: "minProperties of names by a pattern",
    schema: {
      type: "object",
      patternProperties: { "^[a-dé]/?$": {} },
      additionalProperties: false,
      minProperties: 2,
    },
    accepted: [
      { a: 1, d: 1 },
      { "c/": 1, é: 1, b: 1 },
    ],
    rejected: [{ a: 1 }, { a: 1, e: 1 }],
  },
  {
    of: "dependentRequired",
    schema: { type: "object", properties: { a: {}, b: {} }, dependentRequired: { a: ["b"] } },
    accepted: [{}, { b: 1 }, { a: 1, b: 1 }],
    rejected: [{ a: 1 }],
  },
  {
    of: "dependentSchemas",
    schema: {
      type: "object",
      properties: { a: {} },
      dependentSchemas: { a: { properties: { b: INTEGER } } },
    },
    accepted: [{ b: "x" }, { a: 1, b: 1 }],
    rejected: [{ a: 1, b: "x" }],
  },
  {
    of: "dependencies",
    schema: { type: "object", dependencies: { a: ["b"], c: { required: ["d"] } } },
    accepted: [{ b: 1 }, { a: 1, b: 1 }, { c: 1, d: 1 }],
    rejected: [{ a: 1 }, { c: 1 }],
  },
  {
    of: "anyOf",
    schema: { anyOf: [INTEGER, { type: "string", maxLength: 1 }] },
    accepted: [1, "a"],
    rejected: ["ab", null],
  },
  {
    of: "anyOf beside properties",
    schema: {
      type: "object",
      properties: { a: INTEGER, b: INTEGER },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    accepted: [{ a: 1 }, { b: 1 }, { a: 1, b: 1 }],
    rejected: [{}, { c: 1 }],
  },
  {
    of: "oneOf",
    schema: {
      oneOf: [
        { type: "integer", minimum: 2 },
        { type: "integer", maximum: 5 },
      ],
    },
    accepted: [1, 6],
    rejected: [2, 5, "a"],
  },
  {
    of: "oneOf of objects",
    schema: { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] },
    accepted: [{ a: 1 }, { b: 1 }],
    rejected: [{}, { a: 1, b: 1 }],
  },
  {
    of: "allOf",
    schema: {
      allOf: [
        { type: "object", properties: { a: INTEGER } },
        { properties: { b: STRING }, required: ["b"] },
      ],
    },
    accepted: [{ a: 1, b: "x" }, { b: "x" }],
    rejected: [{ a: 1 }, { a: "x", b: "x" }],
  },
  {
    of: "allOf of closed objects",
    schema: {
      type: "object",
      allOf: [
        { properties: { a: {}, b: {} }, additionalProperties: false },
        { properties: { b: {}, c: {} }, additionalProperties: false },
      ],
    },
    accepted: [{}, { b: 1 }],
    rejected: [{ a: 1 }, { c: 1 }],
  },
  { of: "not", schema: { not: { type: "string" } }, accepted: [1, null, [], {}], rejected: ["a"] },
  {
    of: "not of an enumeration",
    schema: { type: "string", not: { enum: ["a", "é"] } },
    accepted: ["b", "ab", ""],
    rejected: ["a", "é"],
  },
  {
    of: "not of an enumeration, within an expression and a length",
    schema: {
      type: "string",
      pattern: "^[ab]*$",
      maxLength: 2,
      not: { enum: ["a", "ab", "é"] },
    },
    accepted: ["", "b", "aa", "bb"],
    rejected: ["a", "ab", "é", "c", "bbb"],
  },
  {
    of: "not of what an enumeration excludes",
    schema: { type: "string", not: { minLength: 2, not: { enum: ["aa", "b"] } } },
    accepted: ["aa", "b", "", "c"],
    rejected: ["cc", "aaa"],
  },
  {
    of: "not of lengths",
    schema: { type: "string", not: { minLength: 2, maxLength: 3 } },
    accepted: ["", "é", "abcd"],
    rejected: ["ab", "abc"],
  },
  {
    of: "not required",
    schema: { type: "object", not: { required: ["a"] } },
    accepted: [{}, { b: 1 }],
    rejected: [{ a: 1 }],
  },
  {
    of: "not not",
    schema: { not: { not: { maxItems: 1, type: "array" } } },
    accepted: [[], [1]],
    rejected: [[1, 1], "a"],
  },
  {
    of: "if, then and else",
    schema: {
      type: "object",
      properties: { kind: { enum: ["a", "b"] }, value: {} },
      required: ["kind"],
      if: { properties: { kind: { const: "a" } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { value: INTEGER } },
      else: { required: ["value"] },
    },
    accepted: [{ kind: "a" }, { kind: "a", value: 1 }, { kind: "b", value: "x" }],
    rejected: [{ kind: "a", value: "x" }, { kind: "b" }],
  },
  {
    of: "if without branches",
    schema: { type: "string", if: { minLength: 2 } },
    accepted: ["", "abc"],
    rejected: [1],
  },
  {
    of: "$ref",
    schema: { $ref: "#/$defs/a", $defs: { a: INTEGER } },
    accepted: [1],
    rejected: ["a"],
  },
  {
    of: "$ref and other keywords",
    schema: { $ref: "#/$defs/a", maximum: 2, $defs: { a: INTEGER } },
    accepted: [1],
    rejected: [3, "a"],
  },
  {
    of: "recursion",
    schema: {
      type: "object",
      properties: { value: INTEGER, next: { $ref: "#" } },
      additionalProperties: false,
    },
    accepted: [{}, { value: 1, next: { next: { value: 2 } } }],
    rejected: [{ next: { next: { value: "x" } } }, { next: null }],
  },
  {
    of: "recursion that must end",
    schema: {
      $defs: {
        list: {
          anyOf: [
            { type: "null" },
            {
              type: "object",
              properties: { rest: { $ref: "#/$defs/list" } },
              required: ["rest"],
              additionalProperties: false,
            },
          ],
        },
      },
      $ref: "#/$defs/list",
    },
    accepted: [null, { rest: { rest: null } }],
    rejected: [{}, { rest: {} }],
  },
];
