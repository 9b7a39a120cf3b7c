import { describe, expect, test } from "vitest";
import { z } from "zod";
import { boundedArray, boundedRecord } from "../../src/validation/bounded-collections.js";
import { describeIssues } from "../../src/validation/describe-issues.js";
import { numberBetween } from "../../src/validation/fields.js";

function countingNumbers() {
  const counter = { validated: 0 };
  const number = numberBetween(0, 9).refine(() => true);
  const item = z.preprocess((value) => {
    counter.validated++;
    return value;
  }, number);
  return { counter, item };
}

function issues(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return error === undefined
    ? []
    : describeIssues(error, value).map(({ field, reason }) => `${field}: ${reason}`);
}

describe("a bounded array", () => {
  const { item } = countingNumbers();
  const schema = z.object({
    digits: boundedArray(
      z.array(item, { error: "expected an array of digits" }).min(1, { error: "expected a digit" }),
      { max: 1000, of: "digits" },
    ),
  });

  test.each([0, 1, 32, 33, 1000])(
    "of %i valid items is accepted, unless it is empty and a minimum is set",
    (length) => {
      const digits = Array.from({ length }, (_, index) => index % 10);
      if (length === 0)
        expect(issues(schema, { digits })).toEqual(["digits: expected a digit, got []"]);
      else expect(schema.parse({ digits })).toEqual({ digits });
    },
  );

  test.each<[unknown, string]>([
    [undefined, "digits: expected an array of digits, got nothing"],
    ["1", 'digits: expected an array of digits, got "1"'],
    [[1, "x"], 'digits.1: expected a number from 0 to 9, got "x"'],
  ])("rejects %j", (digits, issue) => {
    expect(issues(schema, { digits })).toEqual([issue]);
  });

  test("that is too long is rejected without validating its items", () => {
    const { counter, item } = countingNumbers();
    const bounded = z.object({ digits: boundedArray(z.array(item), { max: 1000, of: "digits" }) });
    const [issue, ...others] = issues(bounded, { digits: Array(1001).fill("x") });
    expect(issue).toMatch(/^digits: expected at most 1000 digits, got \["x","x"/);
    expect(others).toEqual([]);
    expect(counter.validated).toBe(0);
  });

  test("with invalid items among valid ones reports the indexes of the invalid ones", () => {
    const digits: unknown[] = Array(500).fill(1);
    digits[300] = 10;
    digits[499] = "x";
    expect(issues(schema, { digits })).toEqual([
      "digits.300: expected a number from 0 to 9, got 10",
      'digits.499: expected a number from 0 to 9, got "x"',
    ]);
  });

  test("reports at most 20 invalid items", () => {
    const { counter, item } = countingNumbers();
    const bounded = z.object({ digits: boundedArray(z.array(item), { max: 1000, of: "digits" }) });
    expect(issues(bounded, { digits: Array(1000).fill("x") })).toHaveLength(20);
    expect(counter.validated).toBe(20);
  });

  test("reports the issues of the best matching branch of a union", () => {
    const union = z.union([z.string(), z.object({ text: z.string({ error: "expected a text" }) })]);
    const bounded = z.object({ parts: boundedArray(z.array(union), { max: 100, of: "parts" }) });
    expect(issues(bounded, { parts: [...Array(40).fill("a"), { text: 7 }] })).toEqual([
      "parts.40.text: expected a text, got 7",
    ]);
  });
});

describe("a bounded array parsed asynchronously", () => {
  /** Takes a millisecond per item, and records whether the event loop ran since the first one. */
  function slowNumbers() {
    const seen = { othersRan: false, itemsBefore: 0 };
    const item = numberBetween(0, 9).refine(() => {
      if (seen.itemsBefore === 0) setImmediate(() => (seen.othersRan = true));
      if (!seen.othersRan) seen.itemsBefore++;
      for (const endMs = performance.now() + 1; performance.now() < endMs; );
      return true;
    });
    const schema = z.object({
      digits: boundedArray(z.array(item).min(1), { max: 1000, of: "digits" }),
    });
    return { seen, schema };
  }

  test("is validated in slices, with the event loop running in between", async () => {
    const { seen, schema } = slowNumbers();
    const digits = Array.from({ length: 100 }, (_, index) => index % 10);
    expect(await schema.parseAsync({ digits })).toEqual({ digits });
    expect(seen.itemsBefore).toBeLessThan(50);
  });

  test("reports the same issues as a synchronous parse", async () => {
    const { schema } = slowNumbers();
    const digits = [...Array(40).fill(1), "x", 10];
    const { error } = await schema.safeParseAsync({ digits });
    expect(error?.issues).toEqual(schema.safeParse({ digits }).error?.issues);
    expect(error?.issues.map(({ path }) => path)).toEqual([
      ["digits", 40],
      ["digits", 41],
    ]);
  });

  test("is validated once, and keeps transformed items", () => {
    let validated = 0;
    const item = z.string().transform((text) => `${text}${validated++}`);
    const schema = boundedArray(z.array(item), { max: 100, of: "texts" });
    expect(schema.parse(Array(50).fill("a")).at(-1)).toBe("a49");
  });
});

describe("a bounded record", () => {
  const record = (size: number) =>
    Object.fromEntries(Array.from({ length: size }, (_, index) => [`k${index}`, index]));

  test("is validated up to its limit, and rejected without being read beyond it", () => {
    let validated = 0;
    const value = z.custom<number>(() => {
      validated++;
      return true;
    });
    const schema = boundedRecord(z.record(z.string(), value), { max: 10, of: "keys" });
    expect(schema.parse(record(10))).toEqual(record(10));
    expect(validated).toBe(10);
    const { error } = schema.safeParse(record(11));
    expect(error?.issues.map(({ message }) => message)).toEqual(["expected at most 10 keys"]);
    expect(validated).toBe(10);
  });

  test.each([undefined, null, 7, "text"])("leaves the rejection of %j to its schema", (input) => {
    const numbers = z.record(z.string(), z.number(), { error: "expected an object" });
    const schema = boundedRecord(numbers, { max: 10, of: "keys" });
    expect(schema.safeParse(input).error?.issues[0]?.message).toBe("expected an object");
  });
});
