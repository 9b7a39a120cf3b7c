import type { Prompt } from "./prompts.js";
import { type Answer, isRight } from "./score.js";

/** A prompt with what the model answered. */
export interface Result {
  readonly prompt: Prompt;
  readonly answer: Answer;
  readonly right: boolean;
}

export interface EvaluationOptions {
  /** How many questions are under way at the same time. */
  readonly clients: number;
  readonly ask: (prompt: Prompt, signal: AbortSignal) => Promise<Answer>;
  readonly signal: AbortSignal;
  /** Told how much is done, 0–1. */
  readonly onProgress: (done: number) => void;
}

/** Asks all prompts, several at a time; the first failure ends the others and is thrown. */
export async function evaluate(
  prompts: readonly Prompt[],
  { clients, ask, signal, onProgress }: EvaluationOptions,
): Promise<Result[]> {
  const results: Result[] = [];
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const queue = prompts.entries();
  let done = 0;
  const client = async (): Promise<void> => {
    for (const [index, prompt] of queue) {
      const answer = await ask(prompt, either);
      results[index] = { prompt, answer, right: isRight(prompt.expect, answer) };
      done += 1;
      onProgress(done / prompts.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: clients }, client));
  } finally {
    failed.abort();
  }
  return results;
}
