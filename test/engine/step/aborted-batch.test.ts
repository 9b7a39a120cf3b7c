import { describe, expect, it } from "vitest";
import { isWorthAborting, splitAborted } from "../../../src/engine/step/aborted-batch.js";

type Work = Parameters<typeof isWorthAborting>[0][number];

const share = (id: string, tokens: number) =>
  ({ generation: { id }, part: { tokens: new Array(tokens).fill(0) } }) as unknown as Work;

describe("aborting a batch", () => {
  it.each([
    ["all of it is cancelled", [share("a", 3)], ["a"], true],
    ["most of it is cancelled", [share("a", 500), share("b", 1), share("c", 1)], ["a"], true],
    [
      "several that are cancelled make up most",
      [share("a", 2), share("b", 2), share("c", 3)],
      ["a", "b"],
      true,
    ],
    ["half of it is wanted", [share("a", 4), share("b", 4)], ["a"], false],
    [
      "one of many streams is cancelled",
      [share("a", 1), share("b", 1), share("c", 1)],
      ["a"],
      false,
    ],
    ["what is cancelled is not in it", [share("a", 500)], ["b"], false],
    ["nothing is evaluated", [], ["a"], false],
  ])("when %s: %#", (_, work, cancelled, expected) => {
    expect(isWorthAborting(work, new Set(cancelled))).toBe(expected);
  });
});

describe("an aborted batch", () => {
  const tokensOf = (work: readonly Work[]) =>
    work.map(({ generation: { id }, part }) => [id, part.tokens.length]);

  it("is divided into what the sequences keep and what is lost", () => {
    const work = [share("a", 5), share("b", 7), share("c", 1)];
    const { kept, lost } = splitAborted(work as never, [5, 3, 0]);
    expect(tokensOf(kept)).toEqual([
      ["a", 5],
      ["b", 3],
    ]);
    expect(lost.map(({ prompt, tokens }) => [prompt.id, tokens])).toEqual([
      ["a", 0],
      ["b", 4],
      ["c", 1],
    ]);
  });

  it("is lost if nothing is known of what is kept", () => {
    const { kept, lost } = splitAborted([share("a", 5)] as never, []);
    expect(kept).toEqual([]);
    expect(lost.map(({ tokens }) => tokens)).toEqual([5]);
  });
});
