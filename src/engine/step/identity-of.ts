import {
  adapterSet,
  identityOfSegments,
  type PromptIdentity,
  tokensOnly,
} from "../cache/prompt-identity.js";
import type { PreparedGeneration } from "../text/prompt/prepared-generation.js";

/** What the cache knows a generation's text by: its prompt and what has been generated. */
export function identityOf(
  {
    promptTokens,
    appliedAdapters = [],
    appliedFrom,
  }: Pick<PreparedGeneration, "promptTokens" | "appliedAdapters" | "appliedFrom">,
  generated: readonly number[] = [],
): PromptIdentity {
  const tokens = generated.length === 0 ? promptTokens : [...promptTokens, ...generated];
  if (appliedAdapters.length === 0) return tokensOnly(tokens);
  return identityOfSegments([{ type: "tokens", tokens }], adapterSet(appliedAdapters, appliedFrom));
}
