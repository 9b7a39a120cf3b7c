import { describe, expect, it } from "vitest";
import { parseDraft } from "../../../src/grammar/json-schema/schema-document.js";
import { acceptedBy } from "../../support/follow-grammar.js";

const DRAFT_4 = "http://json-schema.org/draft-04/schema#";
const DRAFT_6 = "http://json-schema.org/draft-06/schema#";
const DRAFT_7 = "https://json-schema.org/draft-07/schema";
const DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema";
const DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema";

describe("the draft of a schema document", () => {
  it.each<[string | undefined, "ignored" | "counted", number]>([
    ["http://json-schema.org/draft-03/schema", "ignored", 15],
    [DRAFT_4, "ignored", 15],
    [DRAFT_6, "ignored", 12],
    [DRAFT_7, "ignored", 9],
    [DRAFT_2019, "counted", 2],
    [DRAFT_2020, "counted", 0],
    ["https://json-schema.org/schema", "counted", 0],
    ["https://example.com/draft-04/schema", "counted", 0],
    [undefined, "counted", 0],
  ])(
    "%s determines the meaning of references, with %s siblings",
    (dialect, refSiblings, unknown) => {
      const draft = parseDraft(dialect);
      expect(draft.refSiblings).toBe(refSiblings);
      expect(draft.unknownKeywords.size).toBe(unknown);
    },
  );
});

describe("keywords of a later draft", () => {
  const conditional = {
    properties: { a: { type: "integer" }, b: { type: "integer" } },
    if: { required: ["a"] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { required: ["b"] },
  };

  it.each<[string, object, readonly string[], readonly string[]]>([
    ["const in draft 4", { $schema: DRAFT_4, const: 1 }, ["1", "2"], []],
    ["const in draft 6", { $schema: DRAFT_6, const: 1 }, ["1"], ["2"]],
    ["if in draft 4", { $schema: DRAFT_4, ...conditional }, ['{"a":1}'], []],
    ["if in draft 7", { $schema: DRAFT_7, ...conditional }, [], ['{"a":1}']],
    ["if without a draft", conditional, [], ['{"a":1}']],
    [
      "unevaluatedProperties in draft 7",
      { $schema: DRAFT_7, unevaluatedProperties: false },
      ['{"a":1}'],
      [],
    ],
    ["prefixItems in 2019-09", { $schema: DRAFT_2019, prefixItems: [false] }, ["[1]"], []],
    ["prefixItems in 2020-12", { $schema: DRAFT_2020, prefixItems: [false] }, ["[]"], ["[1]"]],
  ])("are treated as annotations: %s", (_, schema, accepted, rejected) => {
    expect(acceptedBy(schema, [...accepted, ...rejected])).toEqual(accepted);
  });
});
