import { z } from "zod";
import type { GenerationModel } from "../../../core/model-directory.js";

const count = (description: string) => z.int().nonnegative().meta({ description });

/** What llama-server tells of its slots, without texts. */
export const nativeSlots = z
  .array(
    z.object({
      id: count("Number of the slot."),
      n_ctx: count("What one request may hold, in tokens."),
      speculative: z.boolean().meta({ description: "Whether there is a draft model." }),
      is_processing: z.boolean(),
      id_task: count("Generations that had begun before this one.").optional(),
      n_prompt_tokens: count("Tokens of its prompt.").optional(),
      n_prompt_tokens_cache: count("Of these, those that were cached.").optional(),
      next_token: z
        .array(
          z.object({
            has_next_token: z.literal(true),
            n_remain: count("Tokens that may still be generated."),
            n_decoded: count("Tokens that were generated."),
          }),
        )
        .optional(),
    }),
  )
  .meta({ id: "NativeSlots" });

/** The answer of `GET /slots`. */
export function toSlots({ engine, generations }: GenerationModel): z.infer<typeof nativeSlots> {
  return generations.slots().map((slot, id) => {
    const common = {
      id,
      n_ctx: engine.model.contextSize,
      speculative: engine.draftModel !== undefined,
    };
    if (slot.state === "idle") return { ...common, is_processing: false };
    const { task, promptTokens, cachedTokens, completionTokens, maxTokens } = slot;
    return {
      ...common,
      is_processing: true,
      id_task: task,
      n_prompt_tokens: promptTokens,
      n_prompt_tokens_cache: cachedTokens,
      next_token: [
        {
          has_next_token: true,
          n_remain: Math.max(0, maxTokens - completionTokens),
          n_decoded: completionTokens,
        },
      ],
    };
  });
}
