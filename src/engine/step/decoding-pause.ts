import type { QueuedPrompt } from "./prompt-order.js";
import { MAX_STEP_TARGETS, MAX_TARGET_STRETCH } from "./step-plan.js";

/**
 * Maximum duration of a short prompt, in multiples of the target inter-token latency: a step with
 * decoding may evaluate such a prompt whole, which causes one gap in every stream in any case.
 */
const SHORT_PROMPT_TARGETS = MAX_STEP_TARGETS * MAX_TARGET_STRETCH;
/** Maximum duration of one pause of decoding, in multiples of the target inter-token latency. */
const MAX_PAUSE_TARGETS = 160;
/** Time between two decoding steps of a pause, in milliseconds; a step of prompts adds to it. */
const PACE_MS = 200;
/**
 * Shortest time between two decoding steps of a pause, relative to the duration of one: with 32
 * streams of 80 ms, 5 instead of 10 halves the longest gap, and delays the last first token by a
 * tenth.
 */
const PACE_DECODE_RATIO = 5;

/** Part of the next step that a pause determines. */
export type PausedStep<Prompt> =
  /** Decoding is not paused. */
  | { readonly kind: "unpaused" }
  /** Only these prompts. */
  | { readonly kind: "prompts"; readonly prompts: readonly Prompt[] }
  /** Only decoding: a token for each stream. */
  | { readonly kind: "tokens" };

/** Costs of the next step. */
export interface PauseCosts {
  /** Time that a prompt token adds to a step, in milliseconds; `undefined`: not learnt yet. */
  readonly msPerToken: number | undefined;
  /** Duration of a step that only decodes, in milliseconds; `undefined`: none is possible now. */
  readonly decodeMs: number | undefined;
}

interface Pause {
  readonly lastAdmitted: number;
  pausedMs: number;
  /** Time since the last decoding step. */
  sinceTokenMs: number;
}

/**
 * Pauses decoding for short prompts that arrive together. Their tokens have to be evaluated in any
 * case, and delay the decoding generations by the same time when spread over many steps, each of
 * which reads the weights for only a few decoding generations. So a burst of prompts gets its first
 * tokens first, and then decodes in a full batch. Meanwhile, a decoding step at intervals keeps the
 * streams at about the pace at which people read. A burst is finite,
 * because a slot that decodes takes no new prompt.
 */
export class DecodingPause {
  readonly #itlTargetMs: number;
  /** The pause in progress; `undefined`: decoding is not paused. */
  #pause: Pause | undefined;
  /** Whether the next step is a decoding step of the pause. */
  #isPaced = false;

  /** @param itlTargetMs target inter-token latency while prompts are evaluated, in milliseconds */
  constructor(itlTargetMs: number) {
    this.#itlTargetMs = itlTargetMs;
  }

  /**
   * Decides on the next step. A pause begins with at least two short prompts, and covers only
   * prompts that wait when it begins; if prompts keep coming, decoding continues between pauses.
   * @param prompts in scheduling order
   */
  next<Prompt extends QueuedPrompt>(
    prompts: readonly Prompt[],
    { msPerToken, decodeMs }: PauseCosts,
  ): PausedStep<Prompt> {
    this.#isPaced = false;
    if (msPerToken === undefined) return { kind: "unpaused" };
    const durationMs = (prompt: Prompt) => prompt.uncomputedTokens * msPerToken;
    const isShort = (prompt: Prompt) =>
      durationMs(prompt) <= SHORT_PROMPT_TARGETS * this.#itlTargetMs;
    const firstLongIndex = prompts.findIndex((prompt) => !isShort(prompt));
    const shortPrompts = firstLongIndex < 0 ? prompts : prompts.slice(0, firstLongIndex);
    if (this.#pause === undefined && shortPrompts.length >= 2) {
      const lastAdmitted = Math.max(...shortPrompts.map(({ admissionOrder }) => admissionOrder));
      this.#pause = { lastAdmitted, pausedMs: 0, sinceTokenMs: 0 };
    }
    const { lastAdmitted, pausedMs, sinceTokenMs } = this.#pause ?? NO_PAUSE;
    const awaitedPrompts = shortPrompts.filter(
      ({ admissionOrder }) => admissionOrder <= lastAdmitted,
    );
    const [first] = awaitedPrompts;
    const remainingMs = MAX_PAUSE_TARGETS * this.#itlTargetMs - pausedMs;
    if (first === undefined || durationMs(first) > remainingMs) return { kind: "unpaused" };
    this.#isPaced =
      decodeMs !== undefined && sinceTokenMs >= Math.max(PACE_MS, PACE_DECODE_RATIO * decodeMs);
    return this.#isPaced ? { kind: "tokens" } : { kind: "prompts", prompts: awaitedPrompts };
  }

  /**
   * Records a step. One without decoding prolongs the pause; one with decoding ends it, unless the
   * pause asked for it.
   */
  noteStep({ decodeTokens, stepMs }: StepOfPause): void {
    if (this.#pause === undefined) return;
    if (decodeTokens === 0) {
      this.#pause.pausedMs += stepMs;
      this.#pause.sinceTokenMs += stepMs;
    } else if (this.#isPaced) this.#pause.sinceTokenMs = 0;
    else this.#pause = undefined;
  }
}

/** Placeholder while decoding is not paused; no prompt has an admission order this low. */
const NO_PAUSE: Pause = { lastAdmitted: -1, pausedMs: 0, sinceTokenMs: 0 };

/** Properties of a step that a pause depends on. */
export interface StepOfPause {
  readonly decodeTokens: number;
  readonly stepMs: number;
}
