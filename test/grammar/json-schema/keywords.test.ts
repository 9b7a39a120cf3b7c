import { describe, expect, it } from "vitest";
import { acceptedBy } from "../../support/follow-grammar.js";
import { KEYWORD_CASES } from "./keyword-cases.js";

describe("the keywords of a schema", () => {
  it.each(KEYWORD_CASES)(
    "accept exactly the valid values: $of",
    ({ schema, accepted, rejected }) => {
      const texts = accepted.map((value) => JSON.stringify(value));
      const others = rejected.map((value) => JSON.stringify(value));
      expect(acceptedBy(schema, [...texts, ...others])).toEqual(texts);
    },
  );
});
