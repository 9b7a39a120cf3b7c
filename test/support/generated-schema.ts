import fc from "fast-check";

const NAMES = ["a", "b", "c", "d"] as const;
const PATTERNS = ["^a", "b", "c$", "^[a-c]*$", "a|d", "^(ab?)+$", "^.?$"];
const FORMATS = ["date", "ipv4", "uuid", "unknown"];
const NUMBERS = [-2, -1, 0, 0.25, 0.5, 1, 1.5, 2, 3, 10];

type Schema = boolean | { readonly [keyword: string]: unknown };

const name = fc.constantFrom(...NAMES);
const count = fc.nat(3);
const scalar = fc.constantFrom(
  null,
  true,
  false,
  "",
  "a",
  "ab",
  "c",
  "d",
  "é",
  'a\n"',
  "2024-02-29",
  "1.2.3.4",
  ...NUMBERS,
);

/** Any JSON value of a few names, texts and numbers. */
export const jsonValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES, "ab", "ca"), tie("value"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value;

const numbers = {
  minimum: fc.constantFrom(...NUMBERS),
  maximum: fc.constantFrom(...NUMBERS),
  exclusiveMinimum: fc.constantFrom(...NUMBERS),
  exclusiveMaximum: fc.constantFrom(...NUMBERS),
  multipleOf: fc.constantFrom(0.25, 0.5, 1, 2, 3),
};
const strings = {
  minLength: count,
  maxLength: count,
  pattern: fc.constantFrom(...PATTERNS),
  format: fc.constantFrom(...FORMATS),
};

function arrays(schema: fc.Arbitrary<Schema>) {
  return {
    items: schema,
    prefixItems: fc.array(schema, { minLength: 1, maxLength: 2 }),
    minItems: count,
    maxItems: count,
  };
}

/** Without `prefixItems`, next to which Ajv accepts an empty array for `contains` of any value. */
function containing(schema: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  const { prefixItems: _, ...others } = arrays(schema);
  return fc.record({ contains: schema, ...others }, { requiredKeys: ["contains"] });
}

function objects(schema: fc.Arbitrary<Schema>) {
  const names = fc.uniqueArray(name, { maxLength: 3 });
  return {
    properties: fc.dictionary(name, schema, { maxKeys: 3, noNullPrototype: true }),
    required: names,
    additionalProperties: schema,
    patternProperties: fc.dictionary(fc.constantFrom(...PATTERNS), schema, {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    propertyNames: fc.oneof(
      fc.record(strings, { requiredKeys: [] }),
      fc.record({ enum: fc.constantFrom(["a", "b"], ["c"]) }),
      fc.boolean(),
    ),
    minProperties: fc.nat(2),
    maxProperties: count,
    dependentRequired: fc.dictionary(name, names, { maxKeys: 1, noNullPrototype: true }),
    dependentSchemas: fc.dictionary(name, schema, { maxKeys: 1, noNullPrototype: true }),
  };
}

function combinations(schema: fc.Arbitrary<Schema>) {
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  return { allOf: list, anyOf: list, oneOf: list, not: schema };
}

/** Some of the keywords of a group. */
function some(keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Schema> {
  const names = Object.keys(keywords);
  return fc
    .subarray(names, { minLength: 1, maxLength: 3 })
    .chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map((one) => [one, keywords[one] ?? fc.constant(0)]))),
    );
}

function typed(type: unknown, schema: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  return schema.map((rest) => (typeof rest === "boolean" ? rest : { type, ...rest }));
}

const types = fc.uniqueArray(
  fc.constantFrom("null", "boolean", "integer", "number", "string", "array", "object"),
  { minLength: 1, maxLength: 2 },
);

/** Schemas of all keywords that are supported, with recursion by `#` and `#/$defs/part`. */
export const schemaObject: fc.Arbitrary<Schema> = fc.letrec<{ schema: Schema }>((tie) => {
  const below = tie("schema");
  return {
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.boolean(),
      fc.record({
        type: fc.oneof(
          types,
          types.map(([first]) => first),
        ),
      }),
      fc.record({ const: jsonValue }),
      fc.record({ enum: fc.array(jsonValue, { minLength: 1, maxLength: 3 }) }),
      fc.constantFrom({ $ref: "#" }, { $ref: "#/$defs/part" }),
      typed("integer", some(numbers)),
      typed("number", some(numbers)),
      typed("string", some(strings)),
      typed("array", some(arrays(below))),
      typed("array", containing(below)),
      typed("object", some(objects(below))),
      typed("object", some(objects(below))),
      some(combinations(below)),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      fc.record({ if: below, then: below, else: below }, { requiredKeys: ["if"] }),
      some({
        ...numbers,
        ...strings,
        ...arrays(below),
        ...objects(below),
        ...combinations(below),
        type: types,
      }),
    ),
  };
}).schema;

/** A whole document. */
export const schemaDocument: fc.Arbitrary<Schema> = fc
  .tuple(schemaObject, schemaObject)
  .map(([root, part]) => (typeof root === "boolean" ? root : { ...root, $defs: { part } }));
