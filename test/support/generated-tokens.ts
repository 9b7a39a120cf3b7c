import { randomUUID } from "node:crypto";
import type { AdapterChoice } from "../../src/core/adapters.js";
import type { Engine } from "../../src/core/engine.js";
import { isFinal } from "../../src/core/generation-event.js";

/** The tokens that follow a prompt of tokens most probably, 24 of them. */
export async function generatedTokens(
  engine: Engine,
  prompt: readonly number[],
  adapters: readonly AdapterChoice[],
): Promise<readonly number[]> {
  const id = randomUUID();
  await engine.prepare({
    id,
    prompt: { type: "tokens", tokens: prompt },
    sampling: { temperature: 0 },
    stopping: { maxTokens: 24, minTokens: 0, stop: [], ignoreEos: true },
    adapters,
  });
  const generated: number[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      engine.start({ id, requestId: id, seed: 1 }, (event, tokens = []) => {
        generated.push(...tokens);
        if (event.type === "failed") reject(event.error);
        else if (isFinal(event)) resolve();
      });
    });
  } finally {
    engine.release(id);
  }
  return generated;
}
