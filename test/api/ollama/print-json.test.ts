import fc from "fast-check";
import { parse } from "lossless-json";
import { describe, expect, it } from "vitest";
import { printJson } from "../../../src/api/ollama/answer.js";
import { parseKeepingText } from "../../../src/core/json.js";

describe("printJson", () => {
  it("equals JSON.stringify, except for line separators", () => {
    fc.assert(
      fc.property(fc.object({ withNullPrototype: false }), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as object;
        expect(JSON.parse(printJson(json))).toEqual(json);
      }),
    );
    expect(printJson({ a: undefined, b: [null, "\n", { c: 1.5 }], d: true })).toBe(
      '{"b":[null,"\\n",{"c":1.5}],"d":true}',
    );
  });

  it("prints one line under any definition of line breaks", () => {
    const breaks = "\n\r\u000b\u000c\u001c\u001d\u001e\u0085\u2028\u2029";
    const line = printJson({ text: breaks, call: parseKeepingText(`{\r\n"a": "\u2028"}`) });
    for (const character of breaks) expect(line).not.toContain(character);
    expect(JSON.parse(line)).toEqual({ text: breaks, call: { a: "\u2028" } });
  });

  it.each([
    '{"n":12345678901234567890,"x":1.0,"e":1E400}',
    '{ "b" : 1 , "a" : "\\u00e9\\/" }',
    '{"twice":1,"twice":2}',
  ])("prints a verbatim object unchanged: %s", (text) => {
    expect(printJson({ arguments: parseKeepingText(text) })).toBe(`{"arguments":${text}}`);
  });

  it("preserves numbers beyond the range of JavaScript", () => {
    const line = printJson({ arguments: parseKeepingText('{"id":900719925474099312345}') });
    expect(parse(line)).toMatchObject({ arguments: { id: { value: "900719925474099312345" } } });
  });
});
