import { lastTokens } from "./last-tokens.js";
import type { Penalties } from "./sampling-options.js";

/** The tokens that penalties apply to. */
export function penalisedTokens(
  { window }: Penalties,
  promptTokens: readonly number[],
  generated: readonly number[],
): number[] {
  return window === "generated" ? [...generated] : lastTokens(window, promptTokens, generated);
}
