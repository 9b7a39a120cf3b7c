import type { ChoiceEvent, PromptTokenScore } from "../../../core/generation-event.js";

type PromptScores = Extract<ChoiceEvent["event"], { type: "prompt-scores" }>;

/** A prompt whose scores are not complete. */
interface AwaitedPrompt {
  readonly scores: PromptTokenScore[];
  /** Events of its other completions, which did not wait for it in the engine. */
  readonly held: ChoiceEvent[];
}

/**
 * Puts the scores of a prompt, whole, before all other events of each of its completions. They come in pieces with
 * the first of them.
 * @param perPrompt completions of each prompt
 */
export async function* promptsFirst(
  events: AsyncIterable<ChoiceEvent>,
  perPrompt: number,
): AsyncGenerator<ChoiceEvent, void> {
  const awaited = new Map<number, AwaitedPrompt | "complete">();
  for await (const one of events) {
    const { choice, event } = one;
    const prompt = Math.floor(choice / perPrompt);
    const state = awaited.get(prompt) ?? { scores: [], held: [] };
    awaited.set(prompt, state);
    if (state === "complete" || event.type === "failed" || event.type === "cancelled") {
      yield one;
    } else if (event.type !== "prompt-scores") {
      state.held.push(one);
    } else {
      state.scores.push(...event.scores);
      if (state.scores.length < event.usage.promptTokens) continue;
      awaited.set(prompt, "complete");
      const whole: PromptScores = { ...event, scores: state.scores };
      for (let index = 0; index < perPrompt; index++) {
        yield { choice: prompt * perPrompt + index, event: whole };
      }
      yield* state.held;
    }
  }
}
