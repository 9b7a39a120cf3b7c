import { expect, it } from "vitest";
import { acceptedBy } from "../../support/follow-grammar.js";

it("counts a repeated member name only once", () => {
  const texts = ['{"a":1,"a":2}', '{"a":1,"b":2}', '{"a":1,"a":2,"b":3}', '{"a":1,"\\u0061":2}'];
  const schema = { type: "object", minProperties: 2 };
  const listed = ['{"a":1,"b":2}', '{"a":1,"a":2,"b":3}'];
  expect(acceptedBy({ ...schema, propertyNames: { enum: ["a", "b"] } }, texts)).toEqual(listed);
  expect(
    acceptedBy(
      { ...schema, patternProperties: { "^[ab]$": {} }, additionalProperties: false },
      texts,
    ),
  ).toEqual(listed);
  expect(acceptedBy({ ...schema, required: ["a"] }, texts)).toEqual(['{"a":1,"b":2}']);
});
