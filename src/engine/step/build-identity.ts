import { createAdapterSet, noAdapters, type PromptIdentity } from "../cache/prompt-identity.js";
import type { PreparedGeneration } from "../text/prompt/prepared-generation.js";

/** Builds the identity under which the cache stores a generation's text: its prompt and the generated tokens. */
export function buildIdentity(
  {
    promptTokens,
    promptMedia = [],
    appliedAdapters = [],
    appliedFrom,
  }: Pick<PreparedGeneration, "promptTokens" | "promptMedia" | "appliedAdapters" | "appliedFrom">,
  generated: readonly number[] = [],
): PromptIdentity {
  return {
    adapters:
      appliedAdapters.length === 0 ? noAdapters : createAdapterSet(appliedAdapters, appliedFrom),
    cells: generated.length === 0 ? promptTokens : [...promptTokens, ...generated],
    media: promptMedia,
  };
}
