import { randomUUID } from "node:crypto";
import type { AdapterChoice } from "../../src/core/adapters.js";
import type { Engine } from "../../src/core/engine.js";
import { isFinal, type TokenUsage } from "../../src/core/generation-event.js";

export interface TokensOptions {
  /** GBNF that constrains their text. */
  readonly grammar?: string;
  /** Prediction of their text, so that drafts are proposed. */
  readonly prediction?: string;
  readonly onFinished?: (usage: TokenUsage) => void;
}

/** The tokens that follow a prompt of tokens most probably, 24 of them. */
export async function generatedTokens(
  engine: Engine,
  prompt: readonly number[],
  adapters: readonly AdapterChoice[],
  { grammar, prediction, onFinished }: TokensOptions = {},
): Promise<readonly number[]> {
  const id = randomUUID();
  await engine.prepare({
    id,
    prompt: { type: "tokens", tokens: prompt },
    sampling: { temperature: 0 },
    stopping: { maxTokens: 24, minTokens: 0, stop: [], ignoreEos: true },
    adapters,
    ...(grammar !== undefined && {
      constraint: { constraint: { type: "gbnf", text: grammar }, field: "grammar" },
    }),
    ...(prediction !== undefined && { prediction }),
  });
  const generated: number[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      engine.start({ id, requestId: id, seed: 1 }, (event, tokens = []) => {
        generated.push(...tokens);
        if (event.type === "finished") onFinished?.(event.usage);
        if (event.type === "failed") reject(event.error);
        else if (isFinal(event)) resolve();
      });
    });
  } finally {
    engine.release(id);
  }
  return generated;
}
