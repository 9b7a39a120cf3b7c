import { AssertionError } from "node:assert";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  append,
  areSame,
  computePosition,
  copyIdentity,
  countCommonCells,
  createAdapterSet,
  createEmptyIdentity,
  createSegmentIdentity,
  createTokenIdentity,
  findLastCut,
  type PromptSegment,
  parsePrompt,
  serialisePrompt,
  slicePrefix,
  splitIntoSegments,
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
  test("share cells computed from the same input, and media only as a whole", () => {
    fc.assert(
      fc.property(traced, traced, (one, other) => {
        const [a, b] = [identityOf(one), identityOf(other)];
        const [from, to] = [originsOf(one), originsOf(other)];
        const first = from.findIndex((origin, cell) => origin !== to[cell]);
        const same = first < 0 ? from.length : first;
        const shared = countCommonCells(a, b);
        expect(shared).toBe(Math.min(findLastCut(a, same), findLastCut(b, same)));
        expect(countCommonCells(b, a)).toBe(shared);
        const areEqual =
          from.length === to.length && first < 0 && a.adapters.key === b.adapters.key;
        expect(areSame(a, b)).toBe(areEqual);
      }),
      { numRuns: 2000 },
    );
  });

  test("share no media with equal marker tokens", () => {
    const withMedia = createSegmentIdentity([tokens(1), photo, tokens(2)]);
    expect(countCommonCells(withMedia, createTokenIdentity([1, -1, -1, -1, 2]))).toBe(1);
  });
});

describe("a prompt", () => {
  const whole = createSegmentIdentity([tokens(1, 2), photo, tokens(3)]);

  test("can be cut between tokens and around media, but not within media", () => {
    const cuts = [0, 1, 2, 3, 4, 5, 6].map((length) => findLastCut(whole, length));
    expect(cuts).toEqual([0, 1, 2, 2, 2, 5, 6]);
    expect(splitIntoSegments(slicePrefix(whole, 5))).toEqual([tokens(1, 2), photo]);
    expect(splitIntoSegments(slicePrefix(whole, 2))).toEqual([tokens(1, 2)]);
    expect(() => slicePrefix(whole, 3)).toThrow(AssertionError);
    expect(() => truncate(copyIdentity(whole), 4)).toThrow(AssertionError);
  });

  test("can be extended and truncated in place without changing copies and prefixes", () => {
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

  test("cannot contain media without cells", () => {
    expect(() =>
      append(createEmptyIdentity(), { type: "media", hash: "photo", cells: 0, positions: 0 }),
    ).toThrow(AssertionError);
  });
});

describe("a serialised prompt", () => {
  test("is deserialised to the same prompt, and differs for different prompts", () => {
    fc.assert(
      fc.property(traced, traced, (one, other) => {
        const [a, b] = [identityOf(one), identityOf(other)];
        const text = JSON.stringify(serialisePrompt(a));
        expect(parsePrompt(JSON.parse(text))).toEqual(a.cells.length === 0 ? undefined : a);
        expect(text === JSON.stringify(serialisePrompt(b))).toBe(areSame(a, b));
      }),
    );
  });

  test("contains the number of positions of media, which may differ from their cells", () => {
    const prompt = createSegmentIdentity([tokens(1), grid, tokens(2)]);
    const { segments } = Object(serialisePrompt(prompt));
    expect(segments).toEqual([tokens(1), grid, tokens(2)]);
    expect(parsePrompt({ adapters: [], segments })).toEqual(prompt);
  });

  test("is a list of tokens if the prompt contains only tokens, as in earlier versions", () => {
    expect(serialisePrompt(createTokenIdentity([1, 2]))).toEqual({ tokens: [1, 2] });
    expect(parsePrompt({ tokens: [1, 2] })).toEqual(createTokenIdentity([1, 2]));
    expect(serialisePrompt(createSegmentIdentity([photo]))).not.toHaveProperty("tokens");
    const adapted = createSegmentIdentity([tokens(1)], createAdapterSet([{ id: "a", scale: 1 }]));
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
  ])("is rejected if invalid: %j", (value) => {
    expect(parsePrompt(value)).toBeUndefined();
  });
});

describe("the position of a cell in llama.cpp", () => {
  const prompt = createSegmentIdentity([tokens(1, 2), grid, tokens(3), photo, grid, tokens(4, 5)]);

  test.each([
    ["the first cell", 0, 0],
    ["a token before media", 1, 1],
    ["the first cell of media", 2, 2],
    ["the first token after media with fewer positions than cells", 8, 5],
    ["the first cell of the next media", 9, 6],
    ["the first cell of media directly after other media", 12, 9],
    ["a token after all media", 18, 12],
    ["the cell after the last one", 20, 14],
  ])("of %s: cell %i has position %i", (_, cell, position) => {
    expect(computePosition(prompt, cell)).toBe(position);
  });

  test("equals its index without media that have fewer positions than cells", () => {
    fc.assert(
      fc.property(traced, fc.nat(20), (one, cell) => {
        expect(computePosition(identityOf(one), cell)).toBe(cell);
      }),
    );
  });

  test("grows by one for a token and by the number of positions for media", () => {
    const segment = fc.constantFrom(tokens(1), tokens(1, 2), photo, grid);
    fc.assert(
      fc.property(fc.array(segment), (segments) => {
        const identity = createSegmentIdentity(segments);
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

  test("is the same in any order, and with additional adapters of scale 0", () => {
    expect(createAdapterSet([b, a])).toEqual(createAdapterSet([a, { id: "c", scale: 0 }, b]));
    expect(createAdapterSet([{ id: "a", scale: -0 }])).toEqual(createAdapterSet([]));
  });

  test("differs for other adapters or scales", () => {
    const sets = [
      [],
      [a],
      [b],
      [a, b],
      [{ id: "a", scale: 0.25 }],
      [{ id: 'a",1],["b', scale: 1 }],
    ];
    expect(new Set(sets.map((set) => createAdapterSet(set).key)).size).toBe(sets.length);
  });

  test("rejects duplicate adapters and invalid scales", () => {
    expect(() => createAdapterSet([a, { id: "a", scale: 2 }])).toThrow("applied twice");
    expect(() => createAdapterSet([{ id: "a", scale: Number.NaN }])).toThrow(
      "invalid scale of adapter a: NaN",
    );
  });
});
