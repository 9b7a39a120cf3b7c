import { describe, expect, test } from "vitest";
import { z } from "zod";
import { describeIssues } from "../../src/validation/describe-issues.js";
import { integerBetween, numberBetween, text, trueOrFalse } from "../../src/validation/fields.js";

function issues(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return error === undefined
    ? []
    : describeIssues(error, value).map(({ field, reason }) =>
        field === "" ? reason : `${field}: ${reason}`,
      );
}

describe("describeIssues", () => {
  test("describes the expected and the received value of each field", () => {
    const schema = z.object({ temperature: numberBetween(0, 2), n: integerBetween(1, 4) });
    expect(issues(schema, { temperature: "hot", n: 9 })).toEqual([
      'temperature: expected a number from 0 to 2, got "hot"',
      "n: expected an integer from 1 to 4, got 9",
    ]);
  });

  test("shortens long keys", () => {
    const schema = z.record(z.string(), z.number());
    const [issue = ""] = issues(schema, { ["k".repeat(1_000_000)]: "x" });
    expect(issue.startsWith(`${"k".repeat(200)}…: `)).toBe(true);
    expect(issue.length).toBeLessThan(300);
  });

  test("names nested fields by their full path", () => {
    const schema = z.object({ messages: z.array(z.object({ content: text() })) });
    const value = { messages: [{ content: "a" }, { content: null }] };
    expect(issues(schema, value)).toEqual(["messages.1.content: expected a string, got null"]);
  });

  test('describes a missing field as "nothing"', () => {
    expect(issues(z.object({ a: z.object({ b: text() }) }), { a: {} })).toEqual([
      "a.b: expected a string, got nothing",
    ]);
  });

  test("contains no field name if the root value is invalid", () => {
    expect(issues(text(), 7)).toEqual(["expected a string, got 7"]);
  });

  test("rewrites Zod's default messages to the same format", () => {
    expect(issues(z.object({ a: z.string() }), { a: 7 })).toEqual(["a: expected string, got 7"]);
  });

  test("reports each unknown key separately", () => {
    expect(issues(z.strictObject({ a: text().optional() }), { b: 1, c: "x" })).toEqual([
      "b: expected no such field, got 1",
      'c: expected no such field, got "x"',
    ]);
  });

  test("names nested unknown keys by their full path", () => {
    expect(issues(z.object({ a: z.strictObject({}) }), { a: { b: null } })).toEqual([
      "a.b: expected no such field, got null",
    ]);
  });

  describe("for a union", () => {
    const parts = z.union([z.string(), z.array(z.object({ text: text() }))], {
      error: "expected a string or an array of parts",
    });

    test("returns the union's own message if no branch matches partially", () => {
      expect(issues(z.object({ content: parts }), { content: 7 })).toEqual([
        "content: expected a string or an array of parts, got 7",
      ]);
    });

    test("returns the issues of the branch that matched deepest", () => {
      expect(issues(z.object({ content: parts }), { content: [{ text: "a" }, {}] })).toEqual([
        "content.1.text: expected a string, got nothing",
      ]);
    });

    test("returns the fewest issues among branches that matched equally deep", () => {
      const call = z.object({ type: z.literal("call"), name: text() });
      const calls = z.object({ type: z.literal("calls"), names: z.array(text()) });
      for (const union of [z.union([call, calls]), z.union([calls, call])]) {
        expect(issues(union, { type: "calls" })).toEqual(["names: expected array, got nothing"]);
        expect(issues(union, { type: "call" })).toEqual(["name: expected a string, got nothing"]);
      }
    });

    test("descends into nested unions", () => {
      const nested = z.union([z.number(), z.object({ a: parts })], { error: "expected either" });
      expect(issues(z.object({ x: nested }), { x: { a: [{ text: 1 }] } })).toEqual([
        "x.a.0.text: expected a string, got 1",
      ]);
    });

    test("returns the union's own message for an unknown discriminator", () => {
      const schema = z.discriminatedUnion("role", [z.object({ role: z.literal("user") })], {
        error: "expected the role user",
      });
      expect(issues(z.object({ m: schema }), { m: { role: "robot" } })).toEqual([
        'm.role: expected the role user, got "robot"',
      ]);
    });
  });

  test.each([
    ["x".repeat(58), `"${"x".repeat(58)}"`],
    ["x".repeat(1000), `"${"x".repeat(59)}… (1000 characters)`],
    ["😀".repeat(1000), `"${"😀".repeat(59)}… (1000 characters)`],
    [Array.from({ length: 1000 }, () => 7), `[${"7,".repeat(29)}7…`],
  ])("shows at most 60 characters of a long value", (value, shown) => {
    expect(issues(trueOrFalse(), value)).toEqual([`expected true or false, got ${shown}`]);
  });

  test("shows numbers beyond the range of a double as Infinity", () => {
    const value = JSON.parse('{"a":1e999,"b":[-1e999]}');
    const schema = z.object({ a: numberBetween(0, 1), b: text() });
    expect(issues(schema, value)).toEqual([
      "a: expected a number from 0 to 1, got Infinity",
      "b: expected a string, got [-Infinity]",
    ]);
  });

  test("shows objects and lists as JSON", () => {
    expect(issues(text(), { a: [1, null] })).toEqual(['expected a string, got {"a":[1,null]}']);
  });

  test("shows an invalid key instead of its value", () => {
    const record = z.record(z.string().regex(/^\d+$/), z.number(), { error: "expected ids" });
    expect(issues(z.object({ r: record }), { r: { x: 1 } })).toEqual([
      'r.x: expected ids, got "x"',
    ]);
  });

  test("reports a wrong type, but no missing fields of other types", () => {
    const part = z.object({ type: z.literal("text", { error: 'expected "text"' }), text: text() });
    const list = z.object({ parts: z.array(part) });
    expect(issues(list, { parts: [{ type: "image" }, { type: "text" }] })).toEqual([
      'parts.0.type: expected "text", got "image"',
      "parts.1.text: expected a string, got nothing",
    ]);
  });
});
