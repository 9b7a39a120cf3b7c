import { AssertionError } from "node:assert";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  adapterSet,
  append,
  areSame,
  commonCells,
  computePosition,
  copyIdentity,
  identityOfSegments,
  lastCut,
  nothing,
  type PromptSegment,
  parsePrompt,
  serialisePrompt,
  slicePrefix,
  splitIntoSegments,
  tokensOnly,
  truncate,
} from "../../../src/engine/cache/prompt-identity.js";
import { identityOf, originsOf, type TracedPrompt } from "../simulated/tracing-context.js";

const tokens = (...list: number[]): PromptSegment => ({ type: "tokens", tokens: list });
/** Media in three columns. */
const grid: PromptSegment = { type: "media", hash: "grid", cells: 6, positions: 3 };
const photo: PromptSegment = { type: "media", hash: "photo", cells: 3, positions: 3 };

const traced: fc.Arbitrary<TracedPrompt> = fc.record({
  adapters: fc.constantFrom([], [], [], [{ id: "a", scale: 1 }], [{ id: "a", scale: 2 }]),
  segments: fc.array(
    fc.constantFrom<PromptSegment>(
      tokens(1),
      tokens(1, 2),
      photo,
      photo,
      { type: "media", hash: "photo", cells: 2, positions: 2 },
      { type: "media", hash: "map", cells: 3, positions: 3 },
    ),
    { maxLength: 5 },
  ),
});

describe("two prompts", () => {
  test("share the cells that are computed from the same, and whole media", () => {
    fc.assert(
      fc.property(traced, traced, (one, other) => {
        const [a, b] = [identityOf(one), identityOf(other)];
        const [from, to] = [originsOf(one), originsOf(other)];
        const first = from.findIndex((origin, cell) => origin !== to[cell]);
        const same = first < 0 ? from.length : first;
        const shared = commonCells(a, b);
        expect(shared).toBe(Math.min(lastCut(a, same), lastCut(b, same)));
        expect(commonCells(b, a)).toBe(shared);
        const areEqual =
          from.length === to.length && first < 0 && a.adapters.key === b.adapters.key;
        expect(areSame(a, b)).toBe(areEqual);
      }),
      { numRuns: 2000 },
    );
  });

  test("share nothing because of a token that marks media", () => {
    const withMedia = identityOfSegments([tokens(1), photo, tokens(2)]);
    expect(commonCells(withMedia, tokensOnly([1, -1, -1, -1, 2]))).toBe(1);
  });
});

describe("a prompt", () => {
  const whole = identityOfSegments([tokens(1, 2), photo, tokens(3)]);

  test("is cut between tokens, and where media begin or end", () => {
    const cuts = [0, 1, 2, 3, 4, 5, 6].map((length) => lastCut(whole, length));
    expect(cuts).toEqual([0, 1, 2, 2, 2, 5, 6]);
    expect(splitIntoSegments(slicePrefix(whole, 5))).toEqual([tokens(1, 2), photo]);
    expect(splitIntoSegments(slicePrefix(whole, 2))).toEqual([tokens(1, 2)]);
    expect(() => slicePrefix(whole, 3)).toThrow(AssertionError);
    expect(() => truncate(copyIdentity(whole), 4)).toThrow(AssertionError);
  });

  test("grows and is truncated in place, without effect on its copies and prefixes", () => {
    const growing = copyIdentity(whole);
    const prefix = slicePrefix(growing, 6);
    append(growing, photo);
    expect(growing.cells).toHaveLength(9);
    truncate(growing, 2);
    append(growing, tokens(9));
    expect(splitIntoSegments(growing)).toEqual([tokens(1, 2, 9)]);
    expect(prefix).toEqual(whole);
    expect(splitIntoSegments(whole)).toEqual([tokens(1, 2), photo, tokens(3)]);
  });

  test("has no media without cells", () => {
    expect(() =>
      append(nothing(), { type: "media", hash: "photo", cells: 0, positions: 0 }),
    ).toThrow(AssertionError);
  });
});

describe("a serialised prompt", () => {
  test("is deserialised to the same prompt, and two are equal for equal prompts only", () => {
    fc.assert(
      fc.property(traced, traced, (one, other) => {
        const [a, b] = [identityOf(one), identityOf(other)];
        const text = JSON.stringify(serialisePrompt(a));
        expect(parsePrompt(JSON.parse(text))).toEqual(a.cells.length === 0 ? undefined : a);
        expect(text === JSON.stringify(serialisePrompt(b))).toBe(areSame(a, b));
      }),
    );
  });

  test("has the positions of media, which may be fewer than their cells", () => {
    const prompt = identityOfSegments([tokens(1), grid, tokens(2)]);
    const { segments } = Object(serialisePrompt(prompt));
    expect(segments).toEqual([tokens(1), grid, tokens(2)]);
    expect(parsePrompt({ adapters: [], segments })).toEqual(prompt);
  });

  test("is a list of tokens if it has no others, as earlier versions wrote it", () => {
    expect(serialisePrompt(tokensOnly([1, 2]))).toEqual({ tokens: [1, 2] });
    expect(parsePrompt({ tokens: [1, 2] })).toEqual(tokensOnly([1, 2]));
    expect(serialisePrompt(identityOfSegments([photo]))).not.toHaveProperty("tokens");
    const adapted = identityOfSegments([tokens(1)], adapterSet([{ id: "a", scale: 1 }]));
    expect(serialisePrompt(adapted)).not.toHaveProperty("tokens");
  });

  test.each<Record<string, unknown>>([
    {},
    { tokens: [] },
    { tokens: "12" },
    { tokens: [1.5] },
    { segments: [{ type: "tokens", tokens: [1] }] },
    { adapters: [], segments: [] },
    { adapters: [], segments: [null] },
    { adapters: [], segments: [{ type: "text" }] },
    { adapters: [], segments: [{ type: "media", hash: "photo", cells: 0, positions: 0 }] },
    { adapters: [], segments: [{ type: "media", hash: 5, cells: 1, positions: 1 }] },
    { adapters: [], segments: [{ type: "media", hash: "photo", cells: 3 }] },
    { adapters: [], segments: [{ type: "media", hash: "photo", cells: 3, positions: 0 }] },
    { adapters: [], segments: [{ type: "media", hash: "photo", cells: 3, positions: 1.5 }] },
    { adapters: [], segments: [{ type: "media", hash: "photo", cells: 3, positions: "3" }] },
    { adapters: [{ id: "a" }], segments: [{ type: "tokens", tokens: [1] }] },
    { adapters: [{ scale: 1 }], segments: [{ type: "tokens", tokens: [1] }] },
  ])("is refused if it is invalid: %j", (value) => {
    expect(parsePrompt(value)).toBeUndefined();
  });
});

describe("the position of a cell in llama.cpp", () => {
  const prompt = identityOfSegments([tokens(1, 2), grid, tokens(3), photo, grid, tokens(4, 5)]);

  test.each([
    ["the first one", 0, 0],
    ["a token before media", 1, 1],
    ["the first one of media", 2, 2],
    ["the first one behind media with fewer positions than cells", 8, 5],
    ["the first one of the next media", 9, 6],
    ["the first one of media right behind others", 12, 9],
    ["a token behind all of them", 18, 12],
    ["the one behind the last", 20, 14],
  ])("of %s: cell %i has %i", (_, cell, position) => {
    expect(computePosition(prompt, cell)).toBe(position);
  });

  test("is its index if there are no media, or none that take fewer positions", () => {
    fc.assert(
      fc.property(traced, fc.nat(20), (one, cell) => {
        expect(computePosition(identityOf(one), cell)).toBe(cell);
      }),
    );
  });

  test("grows with each index at which a prompt can be cut, by one for a token", () => {
    const segment = fc.constantFrom(tokens(1), tokens(1, 2), photo, grid);
    fc.assert(
      fc.property(fc.array(segment), (segments) => {
        const identity = identityOfSegments(segments);
        let [cell, position] = [0, 0];
        for (const one of segments) {
          expect(computePosition(identity, cell)).toBe(position);
          cell += one.type === "tokens" ? one.tokens.length : one.cells;
          position += one.type === "tokens" ? one.tokens.length : one.positions;
        }
        expect(computePosition(identity, cell)).toBe(position);
      }),
    );
  });
});

describe("a set of adapters", () => {
  const [a, b] = [
    { id: "a", scale: 1 },
    { id: "b", scale: 0.25 },
  ];

  test("is the same in every order, and with others of scale 0", () => {
    expect(adapterSet([b, a])).toEqual(adapterSet([a, { id: "c", scale: 0 }, b]));
    expect(adapterSet([{ id: "a", scale: -0 }])).toEqual(adapterSet([]));
  });

  test("is another one with another adapter or scale", () => {
    const sets = [
      [],
      [a],
      [b],
      [a, b],
      [{ id: "a", scale: 0.25 }],
      [{ id: 'a",1],["b', scale: 1 }],
    ];
    expect(new Set(sets.map((set) => adapterSet(set).key)).size).toBe(sets.length);
  });

  test("has each adapter once, with a scale that is a number", () => {
    expect(() => adapterSet([a, { id: "a", scale: 2 }])).toThrow("applied twice");
    expect(() => adapterSet([{ id: "a", scale: Number.NaN }])).toThrow(
      "invalid scale of adapter a: NaN",
    );
  });
});
