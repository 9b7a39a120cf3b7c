import { parse } from "lossless-json";
import { describe, expect, it } from "vitest";
import type { LosslessJson } from "../../../bench/schemas/lossless-json.js";
import { pythonJson } from "../../../bench/schemas/python-json.js";

function rewritten(text: string): string {
  return pythonJson(parse(text) as LosslessJson);
}

describe("pythonJson", () => {
  it.each([
    ["spaces after commas and colons", '{"a":[1,2],"b":{}}', '{"a": [1, 2], "b": {}}'],
    ["literals", "[null,true,false]", "[null, true, false]"],
    ["non-ASCII characters as escapes", '"é😀\u007f"', '"\\u00e9\\ud83d\\ude00\\u007f"'],
    ["short escapes", '"\\n\\t\\"\\\\\\/"', '"\\n\\t\\"\\\\/"'],
    ["all digits of integers", "12345678901234567890123", "12345678901234567890123"],
    ["the integer -0 as 0", "-0", "0"],
    ["a decimal point in other numbers", "[1.0,1.5,1e2,-0.0]", "[1.0, 1.5, 100.0, -0.0]"],
    ["exponents of small numbers", "[0.0001,0.00001,1.5e-7]", "[0.0001, 1e-05, 1.5e-07]"],
    [
      "exponents of large numbers",
      "[1e15,1e16,1.25e22,1e100]",
      "[1000000000000000.0, 1e+16, 1.25e+22, 1e+100]",
    ],
  ])("writes %s", (_, text, expected) => {
    expect(rewritten(text)).toBe(expected);
  });

  it("keeps the order of members, including integer-like names", () => {
    const value = new Map<string, LosslessJson>([
      ["b", null],
      ["1", true],
    ]);
    expect(pythonJson(value)).toBe('{"b": null, "1": true}');
  });
});
