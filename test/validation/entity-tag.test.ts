import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  computeEntityTag,
  type EntityTag,
  matchesStrongly,
  matchesWeakly,
  parseEntityTags,
} from "../../src/validation/entity-tag.js";

const strong = (opaque: string): EntityTag => ({ strength: "strong", opaque });
const weak = (opaque: string): EntityTag => ({ strength: "weak", opaque });

const character = fc
  .integer({ min: 0x21, max: 0xff })
  .filter((code) => code !== 0x22 && code !== 0x7f)
  .map((code) => String.fromCharCode(code));
const tag = fc.record({
  strength: fc.constantFrom("strong" as const, "weak" as const),
  opaque: fc.string({ unit: character }).map((text) => `"${text}"`),
});
const print = ({ strength, opaque }: EntityTag) => (strength === "weak" ? `W/${opaque}` : opaque);
const whitespace = fc.string({ unit: fc.constantFrom(" ", "\t"), maxLength: 2 });
const separator = fc
  .tuple(whitespace, fc.stringMatching(/^,(?:[ \t]?,)?$/), whitespace)
  .map((parts) => parts.join(""));

describe("a list of entity tags", () => {
  test.each<[string, readonly EntityTag[]]>([
    ['"a"', [strong('"a"')]],
    ['W/"a"', [weak('"a"')]],
    ['""', [strong('""')]],
    ['"a", W/"b" ,"c"', [strong('"a"'), weak('"b"'), strong('"c"')]],
    ['"a,b", "W/"', [strong('"a,b"'), strong('"W/"')]],
    [', ,"a",, ', [strong('"a"')]],
    ['"\u00e9"', [strong('"\u00e9"')]],
    ['"\\"', [strong('"\\"')]],
  ])("is parsed: %j", (header, tags) => {
    expect(parseEntityTags(header)).toEqual({ kind: "listed", tags });
  });

  test.each(["*", " * ", "\t*"])("matches any tag: %j", (header) => {
    expect(parseEntityTags(header)).toEqual({ kind: "any" });
  });

  test.each([
    "",
    " ",
    ",",
    "a",
    "'a'",
    '"a',
    'a"',
    'w/"a"',
    'W/ "a"',
    "W/",
    '"a" "b"',
    '"a""b"',
    '*, "a"',
    '"a", *',
    "**",
    '"a b"',
    '"a\u007f"',
    '"a\u0100"',
    '"a"; q=1',
  ])("is rejected as malformed: %j", (header) => {
    expect(parseEntityTags(header)).toBeUndefined();
  });

  test("round-trips, for any tags and whitespace", () => {
    const parts = fc.array(fc.tuple(tag, separator), { minLength: 1 });
    fc.assert(
      fc.property(parts, whitespace, (parts, before) => {
        const header = before + parts.map(([tag, after]) => print(tag) + after).join("");
        const tags = parts.map(([tag]) => tag);
        expect(parseEntityTags(header)).toEqual({ kind: "listed", tags });
      }),
    );
  });

  test("parsed from any text is either rejected or not empty", () => {
    const fragments = fc.constantFrom('"', "W/", ",", " ", "*", "a", "\t");
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: fragments })), (header) => {
        const tags = parseEntityTags(header);
        if (tags?.kind === "listed") expect(tags.tags.length).toBeGreaterThan(0);
      }),
    );
  });

  test("that is malformed is rejected in linear time", () => {
    expect(parseEntityTags(`${" ,".repeat(100_000)}x`)).toBeUndefined();
    expect(parseEntityTags(`${'"a" \t '.repeat(100_000)}`)).toBeUndefined();
  });
});

describe("entity tag comparison (RFC 9110, section 8.8.3.2)", () => {
  test.each<[EntityTag, string, strongly: boolean, weakly: boolean]>([
    [weak('"1"'), '"1"', false, true],
    [weak('"1"'), '"2"', false, false],
    [strong('"1"'), '"1"', true, true],
    [strong('"1"'), '"2"', false, false],
  ])("of %j and the strong tag %s", (tag, current, strongly, weakly) => {
    const tags = { kind: "listed", tags: [strong('"other"'), tag] } as const;
    expect(matchesStrongly(tags, current)).toBe(strongly);
    expect(matchesWeakly(tags, current)).toBe(weakly);
  });

  test("of `*` matches every current tag", () => {
    expect(matchesStrongly({ kind: "any" }, '"1"')).toBe(true);
    expect(matchesWeakly({ kind: "any" }, '"1"')).toBe(true);
  });
});

describe("the entity tag of a body", () => {
  test("is strong, valid, and equal only for equal bodies", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (body, other) => {
        const tag = computeEntityTag(body);
        expect(parseEntityTags(tag)).toEqual({ kind: "listed", tags: [strong(tag)] });
        expect(computeEntityTag(other) === tag).toBe(body === other);
      }),
    );
  });
});
