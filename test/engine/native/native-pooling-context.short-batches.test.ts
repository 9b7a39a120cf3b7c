import { describe, expect, it, vi } from "vitest";
import { ShortBatches } from "../../../src/engine/native/native-pooling-context.js";
import type { PoolingContext } from "../../../src/engine/native/pooling-context.js";

const context = (name: number, batchTokens: number, sequences: number) => {
  const rest = vi.fn();
  const pooling: PoolingContext = {
    batchTokens,
    sequences,
    pool: async (batch, threads) => batch.map(() => Float32Array.of(name, threads)),
    rest,
  };
  return { ...pooling, rest };
};

const [SHORT, LONG] = [1, 2];

describe("pooling with a context for short batches", () => {
  it.each([
    ["that fit", [[1, 2], [3]], SHORT],
    ["that just fit", [[1, 2, 3, 4, 5]], SHORT],
    ["with too many tokens", [[1, 2, 3], [4, 5], [6]], LONG],
    ["with too many inputs", [[1], [2], [3], [4]], LONG],
  ])("uses the correct context for batches %s", async (_, batch, name) => {
    const both = new ShortBatches(context(SHORT, 5, 3), context(LONG, 100, 8));
    expect(await both.pool(batch, 3)).toEqual(batch.map(() => Float32Array.of(name, 3)));
    expect([both.batchTokens, both.sequences]).toEqual([100, 8]);
  });

  it("rests the context for long batches, whose threads both contexts share", () => {
    const [short, long] = [context(SHORT, 5, 3), context(LONG, 100, 8)];
    new ShortBatches(short, long).rest();
    expect([short.rest.mock.calls, long.rest.mock.calls]).toEqual([[], [[]]]);
  });
});
