import type { PromptInTurn } from "./prompt-order.js";
import { MAX_STEP_TARGETS, MAX_TARGET_STRETCH } from "./step-plan.js";

/**
 * Maximum length of a short prompt, in targets of inter-token latency: a step with decoding may evaluate such a prompt
 * whole, which causes one gap in every stream in any case.
 */
const SHORT_PROMPT_TARGETS = MAX_STEP_TARGETS * MAX_TARGET_STRETCH;
/** Maximum length of one pause of decoding, in targets. */
const MAX_PAUSE_TARGETS = 160;

/**
 * Pauses decoding for short prompts that arrive together. Their tokens have to be evaluated in any case, and delay the
 * decoding generations by the same time when spread over many steps, each of which reads the weights for only a few
 * decoding generations. So a burst of prompts gets its first tokens first, and then decodes in a full batch: every
 * stream has one gap, not one for each later prompt. A burst ends, because a decoding slot takes no new prompt.
 */
export class DecodingPause {
  readonly #itlTargetMs: number;
  /** The pause in progress; `undefined`: decoding is not paused. */
  #pause: { pausedMs: number; readonly lastAdmitted: number } | undefined;

  /** @param itlTargetMs target inter-token latency while prompts are evaluated, in milliseconds */
  constructor(itlTargetMs: number) {
    this.#itlTargetMs = itlTargetMs;
  }

  /**
   * Returns the prompts for which the next step leaves decoding out; empty if decoding continues. A pause begins with
   * at least two short prompts, and covers only prompts that wait when it begins; if prompts keep coming, decoding
   * continues between pauses.
   * @param prompts in scheduling order
   * @param msPerToken time that a prompt token adds to a step; `undefined`: not learnt yet
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

  /** Records a step: without decode tokens, it prolongs the pause; with decode tokens, it ends the pause. */
  noteStep({ decodeTokens, stepMs }: PausedStep): void {
    if (decodeTokens > 0) this.#pause = undefined;
    else if (this.#pause !== undefined) this.#pause.pausedMs += stepMs;
  }
}

/** Stands for no pause: no prompt was admitted before it. */
const NO_PAUSE = { pausedMs: 0, lastAdmitted: -1 };

/** A step, as far as a pause depends on it. */
export interface PausedStep {
  readonly decodeTokens: number;
  readonly stepMs: number;
}
