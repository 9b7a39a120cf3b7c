import { describe, expect, it } from "vitest";
import { isWorthAborting, splitAbortedWork } from "../../../src/engine/step/aborted-batch.js";

type Work = Parameters<typeof isWorthAborting>[0][number];

const share = (id: string, tokens: number) =>
  ({ generation: { id }, part: { tokens: new Array(tokens).fill(0) } }) as unknown as Work;

describe("a running batch", () => {
  it.each([
    ["is aborted if all of its work is cancelled", [share("a", 3)], ["a"], true],
    [
      "is aborted if most of its tokens are cancelled",
      [share("a", 500), share("b", 1), share("c", 1)],
      ["a"],
      true,
    ],
    [
      "is aborted if several cancelled generations have most of its tokens",
      [share("a", 2), share("b", 2), share("c", 3)],
      ["a", "b"],
      true,
    ],
    [
      "is not aborted if half of its tokens are cancelled",
      [share("a", 4), share("b", 4)],
      ["a"],
      false,
    ],
    [
      "is not aborted if one of several decoding generations is cancelled",
      [share("a", 1), share("b", 1), share("c", 1)],
      ["a"],
      false,
    ],
    [
      "is not aborted if the cancelled generation is not part of it",
      [share("a", 500)],
      ["b"],
      false,
    ],
    ["is not aborted if it is empty", [], ["a"], false],
  ])("%s", (_, work, cancelled, expected) => {
    expect(isWorthAborting(work, new Set(cancelled))).toBe(expected);
  });
});

describe("an aborted batch", () => {
  const tokensOf = (work: readonly Work[]) =>
    work.map(({ generation: { id }, part }) => [id, part.tokens.length]);

  it("is split into the tokens that the sequences keep and the discarded tokens", () => {
    const work = [share("a", 5), share("b", 7), share("c", 1)];
    const { kept, lost } = splitAbortedWork(work as never, [5, 3, 0]);
    expect(tokensOf(kept)).toEqual([
      ["a", 5],
      ["b", 3],
    ]);
    expect(lost).toEqual([
      { prompt: { id: "a" }, tokens: 0 },
      { prompt: { id: "b" }, tokens: 4 },
      { prompt: { id: "c" }, tokens: 1 },
    ]);
  });

  it("is discarded if the kept tokens are unknown", () => {
    const { kept, lost } = splitAbortedWork([share("a", 5)] as never, []);
    expect(kept).toEqual([]);
    expect(lost.map(({ tokens }) => tokens)).toEqual([5]);
  });
});
