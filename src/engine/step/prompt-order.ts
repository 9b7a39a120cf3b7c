import type { StepWork } from "./step-plan.js";

/** A prompt that is being evaluated, as far as its turn depends on it. */
export interface PromptInTurn {
  /** Order of admission. */
  readonly admitted: number;
  /** Its tokens that are not evaluated yet. */
  readonly uncomputedTokens: number;
}

/**
 * The share of a prompt's own tokens that may be evaluated before it for others which came later: so much longer, at
 * most, it takes than without them.
 */
export const OVERTAKEN_SHARE = 1 / 8;

/**
 * The order in which prompts are evaluated: first come, first served, but a shorter one passes those longer ones that
 * have patience left for it. A small request of an agent does not wait for its big one, and the big one is delayed by a
 * known share at most, however many small ones come.
 * @param patienceOf tokens that may still be evaluated before a prompt for others which came later
 */
export function promptOrder<Prompt extends PromptInTurn>(
  prompts: readonly Prompt[],
  patienceOf: (prompt: Prompt) => number,
): Prompt[] {
  const passes = new Map<Prompt, number>();
  const ordered: Prompt[] = [];
  for (const prompt of prompts.toSorted((a, b) => a.admitted - b.admitted)) {
    const { uncomputedTokens } = prompt;
    const isPassed = (other: Prompt) =>
      other.uncomputedTokens > uncomputedTokens &&
      patienceOf(other) >= (passes.get(other) ?? 0) + uncomputedTokens;
    const place = 1 + ordered.findLastIndex((other) => !isPassed(other));
    for (const other of ordered.slice(place)) {
      passes.set(other, (passes.get(other) ?? 0) + uncomputedTokens);
    }
    ordered.splice(place, 0, prompt);
  }
  return ordered;
}

/** Keeps how long each prompt that is being evaluated may still be delayed by later ones. */
export class PromptQueue {
  /** Tokens, by the order of admission. */
  #patience = new Map<number, number>();

  /** The prompts in their order. Those that are not among them any more are forgotten. */
  order<Prompt extends PromptInTurn>(prompts: readonly Prompt[]): Prompt[] {
    this.#patience = new Map(
      prompts.map((prompt) => [prompt.admitted, this.patienceOf(prompt)] as const),
    );
    return promptOrder(prompts, (prompt) => this.patienceOf(prompt));
  }

  /** Tokens that may still be evaluated before a prompt for others which came later. */
  patienceOf({ admitted, uncomputedTokens }: PromptInTurn): number {
    return this.#patience.get(admitted) ?? Math.floor(uncomputedTokens * OVERTAKEN_SHARE);
  }

  /** Tokens are evaluated, or were in vain, while a prompt waits for a later one. */
  delay(prompt: PromptInTurn, tokens: number): void {
    this.#patience.set(prompt.admitted, this.patienceOf(prompt) - tokens);
  }
}

/**
 * Whether a batch is to be aborted: most of its tokens are evaluated for generations that have been
 * cancelled. The others have to be evaluated again.
 */
export function isWorthAborting(
  work: readonly Pick<StepWork, "generation" | "part">[],
  cancelled: ReadonlySet<string>,
): boolean {
  const tokensOf = (items: typeof work) =>
    items.reduce((sum, { part }) => sum + part.tokens.length, 0);
  const lost = work.filter(({ generation }) => cancelled.has(generation.id));
  return 2 * tokensOf(lost) > tokensOf(work);
}
