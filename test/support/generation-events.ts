import type { ChoiceEvent, GenerationEvent } from "../../src/core/generation-event.js";

const usage = { promptTokens: 1, cachedTokens: 0, completionTokens: 1, reasoningTokens: 0 };

export function delta(text: string): GenerationEvent {
  return { type: "text-delta", text, usage };
}

export const finished: GenerationEvent = {
  type: "finished",
  reason: "stop",
  usage,
  timings: { prefillMs: 1, decodeMs: 2, draftTokens: 0, acceptedDraftTokens: 0, forcedTokens: 0 },
};

/** An event of the first choice, or of another one. */
export function of(event: GenerationEvent, choice = 0): ChoiceEvent {
  return { choice, event };
}

/** Collects the events of one choice, up to the last one of all. */
export async function collect(
  events: AsyncIterable<ChoiceEvent>,
  choice = 0,
): Promise<GenerationEvent[]> {
  const all: GenerationEvent[] = [];
  for await (const one of events) if (one.choice === choice) all.push(one.event);
  return all;
}

/** Collects the events of all choices. */
export async function collectAll(events: AsyncIterable<ChoiceEvent>): Promise<ChoiceEvent[]> {
  const all: ChoiceEvent[] = [];
  for await (const one of events) all.push(one);
  return all;
}

/** Resolves in a macrotask, after all pending microtasks. */
export function microtasksDone(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
