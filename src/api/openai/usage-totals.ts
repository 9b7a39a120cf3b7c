import type { TokenUsage } from "../../core/generation-event.js";
import type { Usage } from "./response-schema.js";
import type { UsageReporting } from "./stream-options-schema.js";

/**
 * The usage of a request as its completions come. Each prompt counts once, as the first of its
 * completions found it; all completions are added up. A change costs the same however many there are.
 */
export class UsageTotals {
  readonly #perPrompt: number;
  readonly #completions = new Map<number, TokenUsage>();
  /** By prompt: the first of its completions that has begun. */
  readonly #firsts = new Map<number, number>();
  #prompt = 0;
  #cached = 0;
  #completion = 0;
  #reasoning = 0;
  #accepted = 0;
  #rejected = 0;

  /** @param perPrompt completions of each prompt; Infinity: there is one prompt */
  constructor(perPrompt: number) {
    this.#perPrompt = perPrompt;
  }

  /** @param index of the completion; those of the first prompt come first */
  set(index: number, usage: TokenUsage): void {
    const prompt = Math.floor(index / this.#perPrompt);
    const first = this.#firsts.get(prompt) ?? index;
    if (index <= first) {
      this.#countPrompt(this.#completions.get(first), -1);
      this.#countPrompt(usage, 1);
      this.#firsts.set(prompt, index);
    }
    this.#countCompletion(this.#completions.get(index), -1);
    this.#countCompletion(usage, 1);
    this.#completions.set(index, usage);
  }

  /** Of all completions so far, in OpenAI's fields. */
  get usage(): Usage {
    return {
      prompt_tokens: this.#prompt,
      completion_tokens: this.#completion,
      total_tokens: this.#prompt + this.#completion,
      prompt_tokens_details: { cached_tokens: this.#cached },
      completion_tokens_details: {
        reasoning_tokens: this.#reasoning,
        accepted_prediction_tokens: this.#accepted,
        rejected_prediction_tokens: this.#rejected,
      },
    };
  }

  /** What a chunk before the last has; as with OpenAI, null where the last one has the usage. */
  interim(reporting: UsageReporting): Usage | null | undefined {
    if (reporting === "none") return undefined;
    return reporting === "continuous" ? this.usage : null;
  }

  #countPrompt(usage: TokenUsage | undefined, times: 1 | -1): void {
    this.#prompt += times * (usage?.promptTokens ?? 0);
    this.#cached += times * (usage?.cachedTokens ?? 0);
  }

  #countCompletion(usage: TokenUsage | undefined, times: 1 | -1): void {
    this.#completion += times * (usage?.completionTokens ?? 0);
    this.#reasoning += times * (usage?.reasoningTokens ?? 0);
    this.#accepted += times * (usage?.prediction?.acceptedTokens ?? 0);
    this.#rejected += times * (usage?.prediction?.rejectedTokens ?? 0);
  }
}
