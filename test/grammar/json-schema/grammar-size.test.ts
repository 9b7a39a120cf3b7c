import { expect, it } from "vitest";
import { schemaGrammar } from "../../../src/grammar/json-schema/schema-grammar.js";

it("contains repeated schemas only once, at any depth", () => {
  const nested = (depth: number): unknown =>
    depth === 0
      ? { type: "string" }
      : { type: "object", properties: { inner: nested(depth - 1) }, required: ["inner"] };
  const size = (depth: number) => JSON.stringify(schemaGrammar(nested(depth))).length;
  expect((size(60) - size(20)) / 40).toBeLessThan(3_000);
});
