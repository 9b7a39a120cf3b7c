import { z } from "zod";
import { estimateModelMemory } from "../../core/memory-use.js";
import type { LibraryModel, ModelFileFacts } from "../../core/model-library.js";

const bytes = (description: string) => z.int().nonnegative().nullable().meta({ description });

/** Facts about a model that need not be loaded. */
export const modelDetails = z
  .object({
    kind: z
      .enum(["generation", "embedding", "reranking"])
      .nullable()
      .meta({ description: "Purpose of the model. `null`: its file cannot be read." }),
    quantization: z.string().nullable().meta({ description: "Such as `Q4_K_M`." }),
    architecture: z.string().nullable(),
    n_params: z.int().nonnegative().nullable().meta({ description: "Number of parameters." }),
    n_ctx_train: z
      .int()
      .nonnegative()
      .nullable()
      .meta({ description: "Context size of the training, in tokens." }),
    has_projector: z.boolean().meta({
      description: "Whether the model has a projector, and so accepts images or audio.",
    }),
    size: bytes("Size of the model's files, in bytes."),
    memory: z
      .object({
        bytes: z.int().nonnegative(),
        is_estimate: z.boolean().meta({
          description:
            "`false`: memory of the loaded model, or of its last load or plan. `true`: estimated from the size of its files.",
        }),
      })
      .nullable()
      .meta({ description: "Memory that the model takes, main and GPU memory together." }),
    last_used_at: z.int().nonnegative().nullable().meta({
      description:
        "Unix time in seconds of the last request. `null`: none since the server started.",
    }),
  })
  .meta({ id: "ModelDetails" });

export type ModelDetails = z.infer<typeof modelDetails>;

/** @param header `undefined`: the file cannot be read */
export function toModelDetails(
  { loaded, stored, memory, hasProjector, lastUsedMs }: LibraryModel,
  header: ModelFileFacts | undefined,
): ModelDetails {
  return {
    kind: loaded?.kind ?? header?.kind ?? null,
    quantization: header?.quantization ?? null,
    architecture: header?.architecture ?? null,
    n_params: header?.parameters ?? null,
    n_ctx_train: header?.trainContextSize ?? null,
    has_projector: hasProjector,
    size: stored?.sizeBytes ?? null,
    memory: memory
      ? { bytes: Math.round(memory.cpuBytes + memory.gpuBytes), is_estimate: false }
      : stored
        ? { bytes: estimateModelMemory(stored.sizeBytes), is_estimate: true }
        : null,
    last_used_at: lastUsedMs === undefined ? null : Math.floor(lastUsedMs / 1000),
  };
}
