import type { FinishedEvent } from "../../answers/collected-answer.js";
import { toTimings } from "../usage.js";
import type { NativeEnding } from "./response-schema.js";

/**
 * What llama-server says at the end of an answer.
 * @param text of the whole answer
 */
export function toEnding(finished: FinishedEvent, text: string): NativeEnding {
  const { reason, slot, stopString, usage } = finished;
  return {
    ...(slot !== undefined && { id_slot: slot }),
    tokens_predicted: usage.completionTokens,
    tokens_evaluated: usage.promptTokens,
    stop: true,
    stop_type: stopString !== undefined ? "word" : reason === "length" ? "limit" : "eos",
    stopping_word: stopString ?? "",
    has_new_line: text.includes("\n"),
    truncated: false,
    tokens_cached: usage.cachedTokens,
    timings: toTimings([finished]),
  };
}
