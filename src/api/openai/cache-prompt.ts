import type { GenerationRequest } from "../../core/generation-request.js";
import { trueOrFalse } from "../../validation/fields.js";

/** llama-server's `cache_prompt`. Made anew for each request. */
export const cachePromptField = () =>
  trueOrFalse().optional().meta({
    description:
      "false: all of the prompt is evaluated, and nothing in advance, so that equal requests with a seed get equal answers while nothing else runs. Default: true.",
  });

/** How a request with this field is evaluated. */
export function toEvaluation(cachePrompt: boolean | undefined): GenerationRequest["evaluation"] {
  return cachePrompt === false ? "anew" : undefined;
}
