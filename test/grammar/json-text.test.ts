import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ANY_INTEGER,
  ANY_NUMBER,
  ANY_STRING,
  ANY_VALUE,
  JSON_RULES,
} from "../../src/grammar/json-text.js";
import { accepts, followed } from "../support/follow-grammar.js";
import { walk } from "../support/walk-grammar.js";

const ANY = followed({ root: ANY_VALUE, rules: JSON_RULES });

describe("the grammar of any JSON value", () => {
  it.each([undefined, 1, 2, 8, "\t"])(
    "accepts the output of JSON.stringify with an indentation of %j",
    (indent) => {
      fc.assert(
        fc.property(fc.jsonValue(), (value) => {
          const text = JSON.stringify(value, null, indent);
          fc.pre(!text.includes("e+308"));
          expect(accepts(ANY, text), text).toBe(true);
        }),
      );
    },
  );

  it("accepts a space after commas and colons, like json.dumps", () => {
    expect(accepts(ANY, '{"a": [1, 2.5, {"b": null}], "c": {}}')).toBe(true);
  });

  it.each([
    "",
    "{",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    "[1,]",
    "[,]",
    "nul",
    "NaN",
    "Infinity",
    "'a'",
    '"a',
    '"\n"',
    '"\\x"',
    "01",
    "1.",
    ".5",
    "+1",
    "1e",
    "- 1",
    "[1 2]",
    '{"a" :1}',
    "[1  ,2]",
    "  1",
    "1\n",
    '{\n\n"a":1}',
    "{a:1}",
  ])("rejects %j", (text) => {
    expect(accepts(ANY, text)).toBe(false);
  });

  it("rejects texts that JSON.parse rejects or parses to infinity", () => {
    const draws = fc
      .infiniteStream(fc.nat())
      .map((stream) => (below: number) => stream.next().value % below);
    fc.assert(
      fc.property(draws, (draw) => {
        const text = walk(ANY, draw);
        if (text !== undefined) expect(JSON.stringify(JSON.parse(text))).not.toContain("Infinity");
      }),
    );
  });
});

describe("numbers", () => {
  const number = followed({ root: ANY_NUMBER, rules: {} });
  const integer = followed({ root: ANY_INTEGER, rules: {} });

  it("may have any notation with a finite value", () => {
    const texts = [
      "0",
      "-0",
      "1.5",
      "-12.25e3",
      "1E5",
      "1e+16",
      "1e-05",
      "9.9e307",
      "1e-300",
      "1e99",
    ];
    expect(texts.filter((text) => accepts(number, text))).toEqual(texts);
    expect(["1e309", "1e400", "12e307", "1e999"].filter((text) => accepts(number, text))).toEqual(
      [],
    );
  });

  it("have no decimal point or exponent in the grammar of integers", () => {
    expect(["0", "-7", "12345678901234567890"].every((text) => accepts(integer, text))).toBe(true);
    expect(["1.0", "1e2", "-", "00"].some((text) => accepts(integer, text))).toBe(false);
  });

  it("have a limited number of digits", () => {
    expect(accepts(number, "9".repeat(200))).toBe(true);
    expect(accepts(number, "9".repeat(400))).toBe(false);
    expect(accepts(number, `0.${"1".repeat(25)}`)).toBe(true);
    expect(accepts(number, `0.${"1".repeat(26)}`)).toBe(false);
  });

  it("are finite for a long mantissa with an exponent", () => {
    expect(accepts(number, `${"9".repeat(200)}e99`)).toBe(
      Number.isFinite(Number(`${"9".repeat(200)}e99`)),
    );
  });
});

describe("strings", () => {
  it("equal the output of JSON.stringify", () => {
    const strings = followed({ root: ANY_STRING, rules: {} });
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (value) => {
        expect(accepts(strings, JSON.stringify(value))).toBe(true);
      }),
    );
  });
});
