import { basename } from "node:path";
import { z } from "zod";
import type { AdapterService } from "../../core/adapters.js";
import { adapterChoices } from "../fields/lora.js";

/** LoRA adapters of a model in llama-server's format. */
export const nativeAdapters = z
  .array(
    z.object({
      id: z.int().nonnegative().meta({ description: "Id of the adapter, as used in `lora`." }),
      path: z.string().meta({ description: "File name, without its folder." }),
      scale: z.number().meta({
        description: "Scale for requests without a `lora` field. 0 disables the adapter.",
      }),
      task_name: z.string().meta({ description: "Name that requests can use as `model`." }),
      prompt_prefix: z.literal(""),
      alora_invocation_string: z.string().optional().meta({
        description:
          "Text that activates the adapter (aLoRA), from its file. Absent: the adapter needs no activation.",
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
