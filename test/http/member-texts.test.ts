import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isJsonObject, keepText, toJsonText } from "../../src/core/json.js";
import { findMemberTexts } from "../../src/http/member-texts.js";

const names = new Set(["input"]);

function parsed(json: string): unknown {
  const value: unknown = JSON.parse(json);
  for (const [object, text] of findMemberTexts(value, json, names)) keepText(object, text);
  return value;
}

/** JSON texts of all object members with this name, except nested ones. */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === "input" && isJsonObject(item) ? [toJsonText(item)] : textsIn(item),
  );
}

describe("the JSON text of an input member", () => {
  it.each<[string, string[]]>([
    ['{"input":{"n":12345678901234567890}}', ['{"n":12345678901234567890}']],
    ['[{"input":{"x":1.0}},{"a":[1e2,{"input": { } }]}]', ['{"x":1.0}', "{ }"]],
    ['{"in\\u0070ut":{"x":1.0}}', ['{"x":1.0}']],
    ['{"a":"\\"input\\":{\\"x\\":1.0}","\\\\":"\\\\","input":{"x":2.0}}', ['{"x":2.0}']],
    ['{"input":{"input":{"x":1.0},"s":"}\\""}}', ['{"input":{"x":1.0},"s":"}\\""}']],
    ['\n{ "input" :\t{ "x" : -0 }\r\n}', ['{ "x" : -0 }']],
    ['{"input":[{"input":{"x":1.0}}],"a":true}', ['{"x":1.0}']],
    ['{"input":{"x":1.0},"input":{"x":2.0}}', ['{"x":2.0}']],
    ['{"a":{"input":{"x":1.0}},"a":{"input":{"x":2.0}}}', ['{"x":2.0}']],
    ['{"__proto__":{"input":{"x":1.0}}}', ['{"x":1.0}']],
    ['{"input":7,"x":[],"y":{},"z":null}', []],
    ["[]", []],
    ["-1.5e3", []],
  ])("is preserved: %s", (json, texts) => {
    expect(textsIn(parsed(json))).toEqual(texts);
  });

  it("parses to the value of the member, at any position", () => {
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue({ maxDepth: 0 }),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom("input", "a", 'q"', "\\", "é"), tie("value")),
      ),
    }));
    fc.assert(
      fc.property(value, fc.constantFrom("", " ", "\t", "  "), (plain, space) => {
        const json = JSON.stringify(plain, null, space);
        const read = parsed(json);
        const whole = JSON.stringify(read);
        for (const text of textsIn(read)) {
          if (space !== "") expect(json).toContain(text);
          expect(whole).toContain(JSON.stringify(JSON.parse(text)));
        }
        expect(textsIn(read).map((text) => JSON.parse(text))).toEqual(
          textsIn(JSON.parse(json)).map((text) => JSON.parse(text)),
        );
      }),
    );
  });
});
