import type { GenerationEvent } from "../../src/core/generation-event.js";

const usage = { promptTokens: 1, cachedTokens: 0, completionTokens: 1, reasoningTokens: 0 };

export function delta(text: string): GenerationEvent {
  return { type: "text-delta", text, usage };
}

export const finished: GenerationEvent = {
  type: "finished",
  reason: "stop",
  usage,
  timings: { prefillMs: 1, decodeMs: 2, draftTokens: 0, acceptedDraftTokens: 0 },
};

/** Collects all events up to the last one. */
export async function collect(events: AsyncIterable<GenerationEvent>): Promise<GenerationEvent[]> {
  const all: GenerationEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** Resolves in a macrotask, after all pending microtasks. */
export function microtasksDone(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
