import { adapterSet, noAdapters, type PromptIdentity } from "../cache/prompt-identity.js";
import type { PreparedGeneration } from "../text/prompt/prepared-generation.js";

/** What the cache knows a generation's text by: its prompt and what has been generated. */
export function identityOf(
  {
    promptTokens,
    promptMedia = [],
    appliedAdapters = [],
    appliedFrom,
  }: Pick<PreparedGeneration, "promptTokens" | "promptMedia" | "appliedAdapters" | "appliedFrom">,
  generated: readonly number[] = [],
): PromptIdentity {
  return {
    adapters: appliedAdapters.length === 0 ? noAdapters : adapterSet(appliedAdapters, appliedFrom),
    cells: generated.length === 0 ? promptTokens : [...promptTokens, ...generated],
    media: promptMedia,
  };
}
