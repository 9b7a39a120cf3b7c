import type { PromptInTurn } from "./prompt-order.js";
import { MAX_STEP_TARGETS, MAX_TARGET_STRETCH } from "./step-plan.js";

/** A prompt is short if a step beside decoding may take it whole: it is one gap in every stream in any case. In targets. */
const SHORT_PROMPT_TARGETS = MAX_STEP_TARGETS * MAX_TARGET_STRETCH;
/** How long decoding may pause in one go, in targets. */
const MAX_PAUSE_TARGETS = 160;

/**
 * Pauses of decoding for short prompts that have come together. Their tokens have to be evaluated in any case, and delay
 * those that decode by as much when they are spread over many steps, of which each reads the weights for the few that
 * decode already. So a burst gets its first tokens first, and then decodes in a full batch: every stream has one gap, not
 * one for each prompt behind it. A slot that decodes makes no place for another prompt: bursts end.
 */
export class DecodingPause {
  readonly #itlTargetMs: number;
  /** The pause in progress; `undefined`: decoding goes on. */
  #pause: { pausedMs: number; readonly lastAdmitted: number } | undefined;

  /** @param itlTargetMs target inter-token latency while prompts are evaluated, in milliseconds */
  constructor(itlTargetMs: number) {
    this.#itlTargetMs = itlTargetMs;
  }

  /**
   * The prompts for which the next step leaves decoding out; none where decoding goes on. A pause begins with two of
   * them, and is for those that wait when it begins: where prompts keep coming, decoding goes on between them.
   * @param prompts in the order of their turns
   * @param msPerToken what a prompt token adds to a step; `undefined`: not learnt yet
   */
  promptsFirst<Prompt extends PromptInTurn>(
    prompts: readonly Prompt[],
    msPerToken: number | undefined,
  ): readonly Prompt[] {
    if (msPerToken === undefined) return [];
    const durationMs = (prompt: Prompt) => prompt.uncomputedTokens * msPerToken;
    const isShort = (prompt: Prompt) =>
      durationMs(prompt) <= SHORT_PROMPT_TARGETS * this.#itlTargetMs;
    const firstLong = prompts.findIndex((prompt) => !isShort(prompt));
    const short = firstLong < 0 ? prompts : prompts.slice(0, firstLong);
    if (this.#pause === undefined && short.length >= 2) {
      const lastAdmitted = Math.max(...short.map(({ admitted }) => admitted));
      this.#pause = { pausedMs: 0, lastAdmitted };
    }
    const { pausedMs, lastAdmitted } = this.#pause ?? NO_PAUSE;
    const awaited = short.filter(({ admitted }) => admitted <= lastAdmitted);
    const [first] = awaited;
    const leftMs = MAX_PAUSE_TARGETS * this.#itlTargetMs - pausedMs;
    return first !== undefined && durationMs(first) <= leftMs ? awaited : [];
  }

  /** Where somebody decodes, a step without decoding prolongs the pause, and another one ends it. */
  noteStep({ decodeTokens, stepMs }: PausedStep): void {
    if (decodeTokens > 0) this.#pause = undefined;
    else if (this.#pause !== undefined) this.#pause.pausedMs += stepMs;
  }
}

/** Before the first prompt. */
const NO_PAUSE = { pausedMs: 0, lastAdmitted: -1 };

/** A step, as far as a pause depends on it. */
export interface PausedStep {
  readonly decodeTokens: number;
  readonly stepMs: number;
}
