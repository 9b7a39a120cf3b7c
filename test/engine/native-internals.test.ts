import {
  getLlama,
  type Llama,
  type LlamaContext,
  type LlamaModel,
  type Token,
} from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createTokenBias,
  inSequenceOrder,
  sequenceOrder,
} from "../../src/engine/native-internals.js";
import { tinyModel } from "../support/random-models.js";

let llama: Llama;
let model: LlamaModel;
let context: LlamaContext;
const batches: number[][] = [];
beforeAll(async () => {
  llama = await getLlama({ gpu: false, build: "never", maxThreads: 1 });
  model = await llama.loadModel({ modelPath: tinyModel() });
  context = await model.createContext({
    sequences: 4,
    contextSize: 256,
    batching: {
      itemPrioritizationStrategy: (options) => {
        const batch = inSequenceOrder(options);
        batches.push(batch.map(({ item }) => item.evaluationPriority));
        return batch;
      },
    },
  });
});
afterAll(async () => {
  await context.dispose();
  await model.dispose();
  await llama.dispose();
});

describe("what node-llama-cpp does not promise", () => {
  it("hands any number on as a priority, so that work is batched in sequence order", async () => {
    const sequences = Array.from({ length: 4 }, () => context.getSequence());
    batches.length = 0;
    await Promise.all(
      [2, 0, 3, 1].map((id) =>
        sequences[id]?.evaluateWithoutGeneratingNewTokens([1, 2, 3] as Token[], {
          evaluationPriority: sequenceOrder(id),
        }),
      ),
    );
    for (const sequence of sequences) await sequence.dispose();
    expect(batches).toEqual([[0, 1, 2, 3]]);
  });

  it("applies a bias to end-of-generation tokens that is set past the public method", async () => {
    const end = 511 as Token;
    const sample = async (logit: number) => {
      const sequence = context.getSequence();
      const tokens = sequence.evaluate([65, 66] as Token[], {
        temperature: 0,
        yieldEogToken: true,
        tokenBias: createTokenBias(model, [[end, logit]]),
      });
      const { value } = await tokens.next();
      await tokens.return();
      await sequence.dispose();
      return value;
    };
    expect(model.isEogToken(end)).toBe(true);
    expect(await sample(1000)).toBe(end);
    expect(await sample(Number.NEGATIVE_INFINITY)).not.toBe(end);
  });
});
