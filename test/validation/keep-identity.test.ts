import { expect, it } from "vitest";
import { z } from "zod";
import { keepIdentity } from "../../src/validation/keep-identity.js";

const schema = z.looseObject({
  a: z.array(z.object({ input: keepIdentity(z.record(z.string(), z.unknown())).nullish() })),
});

it("keepIdentity returns the input object itself", () => {
  const input = { x: 1 };
  expect(schema.parse({ a: [{ input }] }).a[0]?.input).toBe(input);
  expect(schema.parse({ a: [{ input: null }] }).a[0]?.input).toBeNull();
});

it("keepIdentity rejects the same values as its schema", () => {
  expect(schema.safeParse({ a: [{ input: [] }] }).error?.issues[0]?.path).toEqual([
    "a",
    0,
    "input",
  ]);
});
