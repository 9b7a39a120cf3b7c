import { describe, expect, it } from "vitest";
import { printWritten, writtenObject, writtenText } from "../../src/core/json.js";

describe("a JSON object with its source text", () => {
  it.each(["", "{", '{"a":', '{"a":1', "[1]", "1", '"a"', "null", '{"a":1}}', "{a:1}"])(
    "is not parsed from %j",
    (text) => {
      expect(writtenObject(text)).toBeUndefined();
    },
  );

  it.each(['{"n":12345678901234567890,"x":1.0}', '{ "a" : -0 }'])(
    "is printed with its source text: %s",
    (text) => {
      const object = writtenObject(text) ?? {};
      expect(object).toEqual(JSON.parse(text));
      expect(writtenText(object)).toBe(text);
      expect(printWritten({ calls: [{ input: object }] })).toBe(`{"calls":[{"input":${text}}]}`);
    },
  );

  it("is printed on one line", () => {
    expect(printWritten({ a: writtenObject('{\r\n"b": "\\n"}') })).toBe('{"a":{  "b": "\\n"}}');
  });

  it("is printed from its value if it was not parsed from text", () => {
    expect(writtenText({ ...writtenObject('{"x":1.0}') })).toBe('{"x":1}');
  });
});
