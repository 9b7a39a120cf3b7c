import { describe, expect, test } from "vitest";
import type { z } from "zod";
import {
  integerBetween,
  nonEmptyText,
  numberBetween,
  oneOf,
  text,
  trueOrFalse,
} from "../../src/validation/fields.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

describe("field schemas", () => {
  test.each<[string, z.ZodType, unknown[]]>([
    ["a number", numberBetween(0, 2), [0, 1.5, 2]],
    ["an unbounded number", numberBetween(-UNBOUNDED, UNBOUNDED), [-1e300, 1e300]],
    ["an integer", integerBetween(-1, 3), [-1, 0, 3]],
    ["a string", text(), ["", "a"]],
    ["a non-empty string", nonEmptyText(), ["a", " "]],
    ["a boolean", trueOrFalse(), [true, false]],
    ["an enumerated string", oneOf(["a", "b"]), ["a", "b"]],
  ])("accept %s", (_, schema, values) => {
    for (const value of values) expect(schema.parse(value)).toBe(value);
  });

  test.each<[string, z.ZodType, unknown[]]>([
    ["expected a number from 0 to 2", numberBetween(0, 2), [-0.1, 2.1, "1", null, Number.NaN]],
    ["expected a number of at least 1", numberBetween(1, UNBOUNDED), [0, undefined]],
    ["expected a number of at most 1", numberBetween(-UNBOUNDED, 1), [1.1, "1"]],
    ["expected a number of any size", numberBetween(-UNBOUNDED, UNBOUNDED), ["1", null]],
    ["expected an integer from -1 to 3", integerBetween(-1, 3), [-2, 4, 1.5, "1", 2 ** 60]],
    ["expected a string", text(), [1, null, undefined]],
    ["expected a non-empty string", nonEmptyText(), ["", 1, undefined]],
    ["expected true or false", trueOrFalse(), ["true", 1, null]],
    ["expected one of a, b", oneOf(["a", "b"]), ["c", "", 1, undefined]],
  ])("report the issue: %s", (message, schema, values) => {
    for (const value of values) {
      const messages = schema.safeParse(value).error?.issues.map((issue) => issue.message);
      expect(new Set(messages)).toEqual(new Set([message]));
    }
  });
});
