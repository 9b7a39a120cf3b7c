import { type PromptIdentity, tokensOnly } from "../cache/prompt-identity.js";
import type { PreparedGeneration } from "../text/prompt/prepared-generation.js";

/** What the cache knows a generation's text by: its prompt and what has been generated. */
export function identityOf(
  { promptTokens }: Pick<PreparedGeneration, "promptTokens">,
  generated: readonly number[] = [],
): PromptIdentity {
  return tokensOnly(generated.length === 0 ? promptTokens : [...promptTokens, ...generated]);
}
