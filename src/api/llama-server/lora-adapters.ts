import { basename } from "node:path";
import { z } from "zod";
import type { AdapterService } from "../../core/adapters.js";
import { adapterChoices } from "../fields/lora.js";

/** LoRA adapters of a model in llama-server's format. */
export const nativeAdapters = z
  .array(
    z.object({
      id: z.int().nonnegative().meta({ description: "Its position, as `lora` names it." }),
      path: z.string().meta({ description: "The name of its file, without a folder." }),
      scale: z.number().meta({
        description: "With which requests use it that say nothing of adapters; 0: they do not.",
      }),
      task_name: z.string().meta({ description: "The name that it can be asked for by." }),
      prompt_prefix: z.literal(""),
      alora_invocation_string: z.string().optional().meta({
        description: "The text of the tokens that activate it, as its file says. Absent: none do.",
      }),
      alora_invocation_tokens: z.array(z.int().nonnegative()).optional(),
    }),
  )
  .meta({ id: "NativeAdapters" });

/** Body of `POST /lora-adapters`. */
export const nativeAdapterChoices = adapterChoices();

export const nativeAdapterAnswer = z
  .object({ success: z.literal(true) })
  .meta({ id: "NativeAdapterAnswer" });

/** Builds the response of `GET /lora-adapters`. */
export function toNativeAdapters({
  list,
  defaults,
}: AdapterService): z.infer<typeof nativeAdapters> {
  const scales = new Map(defaults.map(({ name, scale }) => [name, scale]));
  return list.map(({ name, path, invocation }, id) => ({
    id,
    path: basename(path),
    scale: scales.get(name) ?? 0,
    task_name: name,
    prompt_prefix: "",
    ...(invocation && {
      alora_invocation_string: invocation.text,
      alora_invocation_tokens: [...invocation.tokens],
    }),
  }));
}
