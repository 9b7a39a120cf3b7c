import { describe, expect, it } from "vitest";
import { schemaGrammar } from "../../../src/grammar/json-schema/schema-grammar.js";
import { acceptedBy } from "../../support/follow-grammar.js";

const INTEGER = { type: "integer" };
const STRING = { type: "string" };
const DRAFT_7 = "http://json-schema.org/draft-07/schema#";
const DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema";

/** Schemas that reference the schema of integers. */
const REFERENCES: readonly (readonly [string, unknown])[] = [
  ["a pointer", { $ref: "#/$defs/a", $defs: { a: INTEGER } }],
  ["a pointer with escapes", { $ref: "#/$defs/a~1b~0c%25", $defs: { "a/b~c%": INTEGER } }],
  ["a pointer into an array", { $ref: "#/allOf/1/items", allOf: [true, { items: INTEGER }] }],
  [
    "a pointer to a location outside schema keywords",
    { $ref: "#/components/schemas/a", components: { schemas: { a: INTEGER } } },
  ],
  ["an anchor", { $ref: "#number", $defs: { a: { $anchor: "number", ...INTEGER } } }],
  [
    "an identifier of draft 6",
    { $ref: "#number", definitions: { a: { $id: "#number", ...INTEGER } } },
  ],
  [
    "an identifier of draft 4",
    { $ref: "#number", definitions: { a: { id: "#number", ...INTEGER } } },
  ],
  [
    "a relative identifier",
    { $id: "https://example.com/root", $ref: "other", $defs: { a: { $id: "other", ...INTEGER } } },
  ],
  [
    "an absolute identifier",
    { $ref: "https://example.com/a", $defs: { a: { $id: "https://example.com/a", ...INTEGER } } },
  ],
  [
    "a pointer from an identifier",
    {
      $ref: "https://example.com/a#/$defs/b",
      $defs: { a: { $id: "https://example.com/a", $defs: { b: INTEGER } } },
    },
  ],
  [
    "a pointer within a schema with an identifier",
    {
      $ref: "#/$defs/a",
      $defs: {
        a: { $id: "https://example.com/a", $ref: "#/$defs/b", $defs: { b: INTEGER } },
        b: STRING,
      },
    },
  ],
  [
    "a reference to a reference",
    { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: INTEGER } },
  ],
  [
    "a reference alone in draft 7",
    {
      $schema: DRAFT_7,
      allOf: [{ $ref: "#/definitions/a", maximum: 0 }],
      definitions: { a: INTEGER },
    },
  ],
  [
    "a reference that overrides its sibling $id in draft 7",
    {
      $schema: DRAFT_7,
      $id: "https://example.com/root/",
      definitions: { a: { $id: "a", ...INTEGER }, b: { $id: "https://example.com/a", ...STRING } },
      allOf: [{ $id: "https://example.com/", $ref: "a" }],
    },
  ],
];

describe("references", () => {
  it.each(REFERENCES)("may be %s", (_, schema) => {
    expect(acceptedBy(schema, ["1", '"a"'])).toEqual(["1"]);
  });

  it("apply together with sibling keywords since 2019-09", () => {
    const schema = {
      $schema: DRAFT_2020,
      allOf: [{ $ref: "#/$defs/a", maximum: 0 }],
      $defs: { a: INTEGER },
    };
    expect(acceptedBy(schema, ["0", "1"])).toEqual(["0"]);
  });

  it("are not resolved if $ref is a property name", () => {
    const schema = {
      type: "object",
      properties: { $ref: STRING, $id: STRING },
      required: ["$ref"],
    };
    expect(acceptedBy(schema, ['{"$ref":"a"}', "{}"])).toEqual(['{"$ref":"a"}']);
  });

  it.each<[string, unknown]>([
    ["to another document", { $ref: "https://example.com/other.json" }],
    ["to a missing definition", { $ref: "#/$defs/absent" }],
    ["to a missing anchor", { $ref: "#absent" }],
    [
      "to an identifier within an unknown keyword",
      { $ref: "https://example.com/a", unknown: { b: { $id: "https://example.com/a" } } },
    ],
    [
      "to an identifier within data",
      { $ref: "https://example.com/a", const: { $id: "https://example.com/a" } },
    ],
    ["to a property of Object.prototype", { $ref: "#/constructor" }],
  ])("are rejected %s", (_, schema) => {
    expect(() => schemaGrammar(schema)).toThrow("expected a reference within the schema, got");
  });
});
