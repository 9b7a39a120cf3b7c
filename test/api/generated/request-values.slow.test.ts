import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { mutationsIn } from "../../support/requests/invalid-value.js";
import { requestNodeOf } from "../../support/requests/request-node.js";
import { validRequestWith } from "../../support/requests/valid-value.js";

const part = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string().max(3) }),
  z.looseObject({ type: z.literal("none") }),
]);
const schema = z.strictObject({
  count: z.int().min(1).max(3),
  parts: z.array(part).min(1).optional(),
  stop: z.union([z.string().min(1), z.array(z.string()).max(2)]).nullish(),
  even: z.number().refine((value) => value % 2 === 0),
});
const root = requestNodeOf(schema);
const body = { count: 2, parts: [{ type: "text", text: "a" }], stop: ["a"], even: 2 };

/** All mutations of a field, by the path in errors. */
function mutations(field: string): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, unknown[]>();
  for (let place = 0; place < 20; place++) {
    for (const mutation of mutationsIn(root, body, field, place / 20)) {
      found.set(mutation.path, [...(found.get(mutation.path) ?? []), mutation.body]);
    }
  }
  return found;
}

describe("generated request values", () => {
  it("satisfy the schema and contain the required field", () => {
    for (const field of ["parts", "stop"]) {
      fc.assert(
        fc.property(validRequestWith(root, [field]), (value) => {
          expect(schema.safeParse(value).success).toBe(true);
          expect(value).toHaveProperty(field);
        }),
      );
    }
  });

  it("are mutated at every path to values that the schema rejects", () => {
    for (const field of ["count", "parts", "stop", "even"]) {
      for (const changed of [...mutations(field).values()].flat()) {
        expect([changed, schema.safeParse(changed).success]).toEqual([changed, false]);
      }
    }
    expect([...mutations("parts").keys()].toSorted()).toEqual([
      "parts",
      "parts.0",
      "parts.0.text",
      "parts.0.type",
    ]);
  });

  it("are mutated to wrong types, missing values and values out of range", () => {
    const counts = (mutations("count").get("count") ?? []).map(
      (changed) => (changed as { count?: unknown }).count,
    );
    expect(counts).toEqual(expect.arrayContaining([null, true, "1", [], {}, undefined, 0, 4, 0.5]));
    const parts = (mutations("parts").get("parts") ?? []).map(
      (changed) => (changed as { parts?: unknown }).parts,
    );
    expect(parts).toContainEqual([]);
    const stops = (mutations("stop").get("stop") ?? []).map(
      (changed) => (changed as { stop?: unknown }).stop,
    );
    expect(stops).toContainEqual("");
    expect(stops).toContainEqual(["a", "a", "a", "a", "a"]);
    expect(stops).not.toContainEqual(null);
  });

  it("cannot be generated for an unknown kind of schema", () => {
    expect(() => requestNodeOf(z.object({ a: z.date() }))).toThrow("date");
  });
});
