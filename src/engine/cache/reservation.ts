import { isPromptScored, type PreparedGeneration } from "../text/prompt/prepared-generation.js";

/**
 * Maximum number of tokens reserved beyond the held ones, for generations whose requests set no
 * length limit.
 */
const MAX_GROWTH_TOKENS = 512;
/** Maximum reservation as a fraction of an even share of the cells. The smaller limit applies. */
const GROWTH_SHARE = 1 / 8;

/** A generation that requests cells of a unified KV cache; all sizes in tokens. */
export interface ReservationInput {
  /** Tokens held when decoding begins: the prompt, or the whole text if the generation resumes. */
  readonly tokens: number;
  /** Maximum number of tokens that the generation may hold. */
  readonly maxTextTokens: number;
  /** Origin of `maxTextTokens`. `request`: the client's limit; `context`: as many as fit. */
  readonly limitOrigin: "request" | "context";
  /** Tokens per sequence if the cells are divided evenly. */
  readonly shareTokens: number;
}

/**
 * Returns the origin of a generation's length limit: the client's request, or the context alone. A generation that
 * reports scores of its prompt tokens counts as limited, so all its cells are reserved: suspended halfway through the
 * prompt, it could not resume.
 */
export function findLimitOrigin(
  prepared: Pick<
    PreparedGeneration,
    "choice" | "scoredTokens" | "stopping" | "topLogProbabilities"
  >,
): ReservationInput["limitOrigin"] {
  const hasLimit = prepared.stopping.maxTokens !== undefined || isPromptScored(prepared);
  return hasLimit ? "request" : "context";
}

/**
 * Returns the number of cells to reserve for a generation. A generation with a limit gets all it may need, so it never
 * waits halfway. Most others end long before the context is full: they repeatedly get a little more than they hold, and
 * the youngest is suspended when the cells run out.
 */
export function computeReservation(input: ReservationInput): number {
  const { tokens, maxTextTokens, limitOrigin, shareTokens } = input;
  if (limitOrigin === "request") return maxTextTokens;
  const growthTokens = Math.min(MAX_GROWTH_TOKENS, Math.ceil(shareTokens * GROWTH_SHARE));
  return Math.min(maxTextTokens, tokens + growthTokens);
}

/**
 * Returns the number of cells to reserve for a resumed generation: at least an even share of the cells, so that it is
 * not suspended again soon.
 */
export function computeResumedReservation(input: ReservationInput): number {
  return Math.min(input.maxTextTokens, Math.max(input.shareTokens, computeReservation(input)));
}
