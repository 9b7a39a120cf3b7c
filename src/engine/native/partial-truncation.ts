import type { GgufInsights } from "node-llama-cpp";
import type { TokenContext } from "./token-context.js";

/** Whether a model's sequences can be truncated: see {@link TokenContext.partialTruncation}. */
export function partialTruncationOf({
  isRecurrent,
  isHybrid,
  swaSize,
}: GgufInsights): TokenContext["partialTruncation"] {
  return isRecurrent || isHybrid || swaSize !== undefined ? "unsupported" : "supported";
}
