/** Properties of a prompt being evaluated that its scheduling order depends on. */
export interface QueuedPrompt {
  /** Order of admission. */
  readonly admissionOrder: number;
  /** Number of its tokens that are not evaluated yet. */
  readonly uncomputedTokens: number;
}

/**
 * Number of tokens of later prompts that may be evaluated before a prompt, as a share of its own
 * tokens. Limits the delay of the prompt to this share of its own evaluation time.
 */
export const OVERTAKEN_SHARE = 1 / 8;

/**
 * Orders prompts first come, first served, except that a shorter prompt overtakes longer ones whose overtaking
 * allowance covers its tokens. So a small request of an agent does not wait for the agent's large one, and the large
 * one is delayed by a bounded share, however many small ones arrive.
 * @param delayAllowanceOf returns how many tokens of later prompts may still be evaluated before a
 *   prompt
 */
export function orderPrompts<Prompt extends QueuedPrompt>(
  prompts: readonly Prompt[],
  delayAllowanceOf: (prompt: Prompt) => number,
): Prompt[] {
  const overtakingTokens = new Map<Prompt, number>();
  const ordered: Prompt[] = [];
  for (const prompt of prompts.toSorted((a, b) => a.admissionOrder - b.admissionOrder)) {
    const { uncomputedTokens } = prompt;
    const canBeOvertaken = (other: Prompt) =>
      other.uncomputedTokens > uncomputedTokens &&
      delayAllowanceOf(other) >= (overtakingTokens.get(other) ?? 0) + uncomputedTokens;
    const insertionIndex = 1 + ordered.findLastIndex((other) => !canBeOvertaken(other));
    for (const other of ordered.slice(insertionIndex)) {
      overtakingTokens.set(other, (overtakingTokens.get(other) ?? 0) + uncomputedTokens);
    }
    ordered.splice(insertionIndex, 0, prompt);
  }
  return ordered;
}

/** Tracks how many tokens of later prompts may still overtake each prompt that is being evaluated. */
export class PromptQueue {
  /** Remaining overtaking allowance in tokens, by order of admission. */
  #delayAllowances = new Map<number, number>();

  /** Returns the prompts in scheduling order. Forgets all prompts that are not passed in. */
  order<Prompt extends QueuedPrompt>(prompts: readonly Prompt[]): Prompt[] {
    this.#delayAllowances = new Map(
      prompts.map((prompt) => [prompt.admissionOrder, this.delayAllowanceOf(prompt)] as const),
    );
    return orderPrompts(prompts, (prompt) => this.delayAllowanceOf(prompt));
  }

  /** Returns how many tokens of later prompts may still be evaluated before a prompt. */
  delayAllowanceOf({ admissionOrder, uncomputedTokens }: QueuedPrompt): number {
    return (
      this.#delayAllowances.get(admissionOrder) ?? Math.floor(uncomputedTokens * OVERTAKEN_SHARE)
    );
  }

  /**
   * Charges a prompt for tokens of a later prompt that were evaluated first, or for its own tokens
   * that were lost when a batch was aborted for a later prompt.
   */
  delay(prompt: QueuedPrompt, tokens: number): void {
    this.#delayAllowances.set(prompt.admissionOrder, this.delayAllowanceOf(prompt) - tokens);
  }
}
