import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson, toJson, toValue } from "../../../../../src/engine/text/prompt/jinja/json.js";

const same = (text: string) => text;

describe("parseJson", () => {
  test("returns the same value as JSON.parse, after a round trip through toJson", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2), (json, indent) => {
        const spaced = JSON.stringify(JSON.parse(json), null, indent);
        expect(JSON.parse(toJson(parseJson(spaced, same)))).toEqual(JSON.parse(spaced));
      }),
    );
  });

  test("preserves the notation of every number", () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,25})(\.\d{1,20})?([eE][+-]?\d{1,3})?$/);
    fc.assert(
      fc.property(digits, (number) => {
        const json = `{"n": [${number}, ${number}]}`;
        expect(toJson(parseJson(json, same))).toBe(json);
      }),
    );
  });

  test("preserves the order of members and special names such as __proto__", () => {
    const json = '{"b": 1, "2": 2, "1": 3, "__proto__": {"constructor": 4}}';
    expect(toJson(parseJson(json, same))).toBe(json);
  });

  test.each(['"a\\"b"', '"\\\\"', '"\\\\\\""', '["\\\\", "\\\\\\\\"]', '"\\n/"'])(
    "parses the escapes of %s",
    (json) => {
      expect(toJson(parseJson(json, same))).toBe(json);
    },
  );

  test("passes exactly the strings and keys to the callback, unescaped", () => {
    const seen: string[] = [];
    parseJson('{"a\\u0041": ["b", 1, true, null, {"c": "\\"d"}]}', (text) => {
      seen.push(text);
      return text;
    });
    expect(seen).toEqual(["aA", "b", "c", '"d']);
  });

  test("supports a text of a million characters", () => {
    const text = "a\\\\".repeat(300_000);
    expect(parseJson(`"${text}"`, same)).toBe("a\\".repeat(300_000));
  });

  test.each(["", "{", "[1,]", "01", "{'a':1}", '"a" "b"', "tru", "NaN"])("rejects %j", (json) => {
    expect(() => parseJson(json, same)).toThrow(SyntaxError);
  });
});

describe("toJson", () => {
  const value = toValue({ a: [1, { b: "ü\n" }], c: {}, d: [] }, same);

  test("uses the separators of Python's json.dumps", () => {
    expect(toJson(value)).toBe('{"a": [1, {"b": "ü\\n"}], "c": {}, "d": []}');
  });

  test("indents like Python's json.dumps", () => {
    expect(toJson(value, { indent: 2 })).toBe(
      '{\n  "a": [\n    1,\n    {\n      "b": "ü\\n"\n    }\n  ],\n  "c": {},\n  "d": []\n}',
    );
  });

  test("uses the requested separators, escapes and order", () => {
    const style = { itemSeparator: ",", keySeparator: ":", ensureAscii: true, sortKeys: true };
    expect(toJson(toValue({ z: "ü😀", a: 1 }, same), style)).toBe(
      '{"a":1,"z":"\\u00fc\\ud83d\\ude00"}',
    );
  });
});
