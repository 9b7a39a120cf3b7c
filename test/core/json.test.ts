import { describe, expect, it } from "vitest";
import { parseKeepingText, printJsonLine, toJsonText } from "../../src/core/json.js";

describe("a JSON object with its source text", () => {
  it.each(["", "{", '{"a":', '{"a":1', "[1]", "1", '"a"', "null", '{"a":1}}', "{a:1}"])(
    "is not parsed from %j",
    (text) => {
      expect(parseKeepingText(text)).toBeUndefined();
    },
  );

  it.each(['{"n":12345678901234567890,"x":1.0}', '{ "a" : -0 }'])(
    "is printed with its source text: %s",
    (text) => {
      const object = parseKeepingText(text) ?? {};
      expect(object).toEqual(JSON.parse(text));
      expect(toJsonText(object)).toBe(text);
      expect(printJsonLine({ calls: [{ input: object }] })).toBe(`{"calls":[{"input":${text}}]}`);
    },
  );

  it("is printed on one line", () => {
    expect(printJsonLine({ a: parseKeepingText('{\r\n"b": "\\n"}') })).toBe('{"a":{  "b": "\\n"}}');
  });

  it("is printed from its value if it was not parsed from text", () => {
    expect(toJsonText({ ...parseKeepingText('{"x":1.0}') })).toBe('{"x":1}');
  });
});
