import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DraftModel } from "../../../src/engine/drafts/draft-model.js";
import { SimulatedContext } from "../simulated/simulated-context.js";
import { mixedModel, tokensOf } from "../simulated/simulated-engine.js";

const BATCH_SIZE = 64;

function open(sequences = 4) {
  const context = new SimulatedContext({ sequences, batchSize: BATCH_SIZE, next: mixedModel });
  return { context, model: new DraftModel({ context, contextSize: 1000 }) };
}

/** Continuation of a text according to the draft model. */
function continuation(tokens: readonly number[], length: number): number[] {
  const text = [...tokens];
  for (let index = 0; index < length; index++) text.push(mixedModel(text));
  return text.slice(tokens.length);
}

/** Long enough for a copy. */
const long = tokensOf("the quick brown fox jumps over the lazy dog".replaceAll(" ", ""));

describe("the draft model", () => {
  test("evaluates all but the last token of a text in slices, and proposes a continuation", async () => {
    const { context, model } = open();
    const text = { sequenceId: 2, tokens: long };
    expect(model.countMissingTokens(text)).toBe(long.length);
    expect(await model.catchUp([text], 20)).toBe(20);
    expect(model.countMissingTokens(text)).toBe(long.length - 20);
    expect(await model.catchUp([text], 1000)).toBe(long.length - 21);
    expect(model.countMissingTokens(text)).toBe(1);
    expect(await model.catchUp([text], 1000)).toBe(0);
    expect(await model.propose([text], 4)).toEqual(new Map([[2, continuation(long, 4)]]));
    expect(context.batches.map((parts) => parts.map(({ tokens }) => tokens.length))).toEqual([
      [20],
      [long.length - 21],
      [1],
      [1],
      [1],
      [1],
    ]);
  });

  test("evaluates several texts in one batch, in sequence order", async () => {
    const { context, model } = open();
    const texts = [3, 0, 1].map((sequenceId) => ({
      sequenceId,
      tokens: [sequenceId, ...long.slice(0, 29)],
    }));
    expect(await model.catchUp(texts, 70)).toBe(BATCH_SIZE);
    const [batch = []] = context.batches;
    expect(batch.map(({ sequenceId, tokens }) => [sequenceId, tokens.length])).toEqual([
      [0, 29],
      [1, 6],
      [3, 29],
    ]);
  });

  test("continues after accepted tokens, and rewinds rejected ones", async () => {
    const { model } = open();
    const tokens = [...long];
    const text = { sequenceId: 0, tokens };
    await model.catchUp([text], 1000);
    const draft = (await model.propose([text], 4)).get(0) ?? [];
    tokens.push(...draft, 7);
    expect(model.countMissingTokens(text)).toBe(2);
    expect((await model.propose([text], 3)).get(0)).toEqual(continuation(tokens, 3));
    tokens.push(20);
    expect(model.countMissingTokens(text)).toBe(1);
    expect((await model.propose([text], 3)).get(0)).toEqual(continuation(tokens, 3));
  });

  test("evaluates the same number of tokens of each text in its first pass", async () => {
    const { context, model } = open();
    const texts = [0, 1].map((sequenceId) => ({
      sequenceId,
      tokens: [...long.slice(0, 20), sequenceId],
    }));
    await model.catchUp(texts, 1000);
    texts[1]?.tokens.push(3);
    const drafts = await model.propose(texts, 2);
    const counts = context.batches
      .slice(-2)
      .map((parts) => parts.map((part) => part.tokens.length));
    expect(counts).toEqual([
      [2, 2],
      [1, 1],
    ]);
    for (const { sequenceId, tokens } of texts) {
      expect(drafts.get(sequenceId)).toEqual(continuation(tokens, 2));
    }
  });

  test("copies a prefix from another sequence", async () => {
    const { context, model } = open();
    await model.catchUp([{ sequenceId: 3, tokens: [...long, 1] }], 1000);
    const moved = { sequenceId: 0, tokens: [...long, 2, 2, 2] };
    expect(await model.catchUp([moved], 1000)).toBe(2);
    expect(context.calls.filter(({ kind }) => kind === "copy")).toHaveLength(1);
    expect((await model.propose([moved], 2)).get(0)).toEqual(continuation(moved.tokens, 2));
  });

  test("disposes of samplers", async () => {
    const { context, model } = open();
    await model.propose([{ sequenceId: 1, tokens: [4] }], 1);
    expect(context.openSamplers).toBe(1);
    model.dispose();
    expect(context.openSamplers).toBe(0);
  });

  test("supports texts that begin, grow, move and end in any order", async () => {
    const operation = fc.record({
      sequenceId: fc.nat(2),
      text: fc.nat(5),
      appended: fc.array(fc.nat(2), { maxLength: 4 }),
      budget: fc.integer({ min: 1, max: 60 }),
      length: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 25 }), async (operations) => {
        const { model } = open(3);
        const texts = Array.from({ length: 6 }, (_, index) => [
          ...long.slice(0, 40 * (index % 2)),
          index % 3,
        ]);
        for (const { sequenceId, text, appended, budget, length } of operations) {
          const tokens = texts[text] ?? [];
          tokens.push(...appended);
          const followed = { sequenceId, tokens };
          await model.catchUp([followed], budget);
          if (model.countMissingTokens(followed) > 2) continue;
          const drafts = await model.propose([followed], length);
          expect(drafts.get(sequenceId)).toEqual(continuation(tokens, length));
        }
      }),
      { numRuns: 60 },
    );
  });
});
