import { expect, it } from "vitest";
import {
  buildControlTokenPattern,
  splitIntoPieces,
} from "../../../../src/engine/text/vocabulary/control-tokens.js";

const pattern = buildControlTokenPattern(["<s>", "<mask>"]);
const piecesOf = (text: string, stripping: readonly string[] = []) => [
  ...splitIntoPieces(text, pattern, new Set(stripping)),
];

it("a text of many control tokens is split before some control tokens, without losing text", () => {
  const text = `a ${"<s>b <mask> ".repeat(5_000)}`;
  const pieces = piecesOf(text);
  expect(pieces.join("")).toBe(text);
  expect(pieces.length).toBeGreaterThan(10);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(4_200);
  for (const piece of pieces.slice(1)) expect(piece).toMatch(/^<(?:s|mask)>/);
});

it("a text with few control tokens is not split, regardless of its length", () => {
  const long = "x".repeat(10_000);
  expect(piecesOf(`<s>${long}`)).toEqual([`<s>${long}`]);
  expect(piecesOf(`${long}<s>${long}<s>`)).toEqual([`${long}<s>${long}`, "<s>"]);
  expect(piecesOf(long)).toEqual([long]);
  expect([...splitIntoPieces(long, undefined, new Set())]).toEqual([long]);
});

it("white space is not separated from a following token that strips it", () => {
  const pieces = piecesOf("<s> <mask>x".repeat(2_000), ["<mask>"]);
  expect(pieces.length).toBeGreaterThan(1);
  for (const piece of pieces.slice(1)) expect(piece).toMatch(/^<s>/);
});
