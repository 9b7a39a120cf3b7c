import { describe, expect, test } from "vitest";
import type { z } from "zod";
import {
  booleanParameter,
  integerParameter,
  nonEmptyParameter,
  numberParameter,
  textParameter,
} from "../../src/validation/parameters.js";

describe("query parameters", () => {
  test.each<[string, z.ZodType, [string, unknown][]]>([
    [
      "a string",
      textParameter(),
      [
        ["", ""],
        ["a", "a"],
      ],
    ],
    ["a non-empty string", nonEmptyParameter(), [[" ", " "]]],
    [
      "an integer",
      integerParameter(1, 100),
      [
        ["1", 1],
        ["100", 100],
        ["007", 7],
      ],
    ],
    [
      "a number",
      numberParameter(0, 2),
      [
        ["0", 0],
        ["2.0", 2],
        [".5", 0.5],
        ["1.", 1],
        ["+1e-1", 0.1],
      ],
    ],
    [
      "a boolean",
      booleanParameter(),
      [
        ["true", true],
        ["false", false],
      ],
    ],
  ])("are parsed as %s", (_, schema, samples) => {
    for (const [text, value] of samples) expect(schema.parse(text)).toBe(value);
  });

  test.each<[string, z.ZodType, unknown[]]>([
    ["expected one value", textParameter(), [["a", "b"], undefined]],
    ["expected at least one character", nonEmptyParameter(), [""]],
    [
      "expected an integer from 1 to 100",
      integerParameter(1, 100),
      ["", "0", "101", "-1", "+1", "1.0", "1e1", " 1", "0x1", "\u0661", ["1", "2"], 1],
    ],
    [
      "expected a number from 0 to 2",
      numberParameter(0, 2),
      ["", "-1", "2.1", "1e400", "Infinity", "NaN", "0x1", " 1", ".", "1,5", ["1", "2"], 1],
    ],
    ["expected true or false", booleanParameter(), ["", "1", "True", ["true", "true"], true]],
  ])("report the issue: %s", (message, schema, values) => {
    for (const value of values) {
      const messages = schema.safeParse(value).error?.issues.map((issue) => issue.message);
      expect(messages).toEqual([message]);
    }
  });
});
