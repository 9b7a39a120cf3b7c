import { isPromptScored, type PreparedGeneration } from "../text/prompt/prepared-generation.js";

/** What generations without a limit of their own are promised beyond what they hold, in tokens. */
const MAX_GROWTH_TOKENS = 512;
/** The same, as a part of what a slot of its own would have. */
const GROWTH_SHARE = 1 / 8;

/** A generation that asks for cells of a unified cache; all sizes in tokens. */
export interface ReservationInput {
  /** What it holds when it decodes: the prompt, or more when it goes on. */
  readonly tokens: number;
  /** What it may hold at most. */
  readonly wholeTokens: number;
  /** `request`: the client has set that limit; `context`: as many as fit. */
  readonly limitedBy: "request" | "context";
  /** What each sequence has if the cells are divided evenly. */
  readonly shareTokens: number;
}

/**
 * Who limits the length of a generation: the client, or the context alone. One that reports the tokens of
 * its prompt is promised all that it may take, as with a limit: suspended half-way through the prompt, it
 * could not go on where it was.
 */
export function limitedBy(
  prepared: Pick<
    PreparedGeneration,
    "choice" | "scoredTokens" | "stopping" | "topLogProbabilities"
  >,
): ReservationInput["limitedBy"] {
  const hasLimit = prepared.stopping.maxTokens !== undefined || isPromptScored(prepared);
  return hasLimit ? "request" : "context";
}

/**
 * Cells that a generation is promised. One with a limit gets all that it may take, so that it never
 * waits half-way. Most others end long before the context does: they get a little more than they hold,
 * again and again, and the youngest is suspended when the cells run out.
 */
export function reservation(question: ReservationInput): number {
  const { tokens, wholeTokens, limitedBy, shareTokens } = question;
  if (limitedBy === "request") return wholeTokens;
  const growthTokens = Math.min(MAX_GROWTH_TOKENS, Math.ceil(shareTokens * GROWTH_SHARE));
  return Math.min(wholeTokens, tokens + growthTokens);
}

/**
 * Cells that a generation is promised when it goes on after it was suspended: as many as a slot of its
 * own would have, lest it is suspended again soon.
 */
export function resumedReservation(question: ReservationInput): number {
  return Math.min(question.wholeTokens, Math.max(question.shareTokens, reservation(question)));
}
