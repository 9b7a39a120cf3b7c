import type { Prompt } from "./prompts.js";
import { type Answer, isRight } from "./score.js";

/** Prompt with the model's answer. */
export interface Result {
  readonly prompt: Prompt;
  readonly answer: Answer;
  readonly right: boolean;
}

export interface EvaluationOptions {
  /** Number of concurrent requests. */
  readonly clients: number;
  readonly ask: (prompt: Prompt, signal: AbortSignal) => Promise<Answer>;
  readonly signal: AbortSignal;
  /** Called with the progress, 0–1. */
  readonly onProgress: (done: number) => void;
}

/** Sends all prompts, several at a time; the first failure ends the others and is thrown. */
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
