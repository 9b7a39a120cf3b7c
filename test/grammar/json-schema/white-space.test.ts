import { describe, expect, it } from "vitest";
import { acceptedBy } from "../../support/follow-grammar.js";

const INTEGER = { type: "integer" };

describe("white space", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "array", items: INTEGER }, b: { type: "object" } },
    required: ["a"],
  };
  const value = { a: [1, 2], b: {}, c: [{ d: null }] };

  it.each(["", " ", "  ", "\t", " ".repeat(8)])(
    "may match JSON.stringify with an indentation of %j",
    (indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(acceptedBy(schema, [text])).toEqual([text]);
    },
  );

  it("may match json.dumps", () => {
    const text = '{"a": [1, 2], "b": {}, "c": [{"d": null}]}';
    expect(acceptedBy(schema, [text])).toEqual([text]);
  });

  it.each([
    '{"a":  []}',
    '{"a" :[]}',
    ' {"a":[]}',
    '{"a":[]} ',
    '{\n\n"a":[]}',
    `{\n${" ".repeat(100)}"a":[]}`,
  ])("is limited: rejects %j", (text) => {
    expect(acceptedBy(schema, [text])).toEqual([]);
  });
});
