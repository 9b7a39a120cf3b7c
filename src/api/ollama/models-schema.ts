import { z } from "zod";

const details = z
  .object({
    parent_model: z.string(),
    format: z.literal("gguf"),
    family: z.string().meta({ description: "The architecture." }),
    families: z.array(z.string()),
    parameter_size: z.string().meta({ description: "Rounded.", example: "4.44M" }),
    quantization_level: z.string().meta({
      description: "llama.cpp's name of the file's type; `unknown` if the file has none.",
      example: "Q8_0",
    }),
  })
  .meta({ id: "OllamaModelDetails" });

const listedFields = {
  name: z.string().meta({ description: "With a tag, by default `latest`." }),
  model: z.string().meta({ description: "Equal to `name`." }),
  size: z.int().nonnegative().meta({ description: "File size in bytes." }),
  digest: z.string().meta({
    description: "64 hexadecimal digits that change with the model file and the server's version.",
  }),
  details,
};

const listedModel = z
  .object({
    ...listedFields,
    modified_at: z.iso.datetime().meta({ description: "When the model was loaded." }),
  })
  .meta({ id: "OllamaListedModel" });

const runningModel = z
  .object({
    ...listedFields,
    expires_at: z.iso
      .datetime()
      .meta({ description: "In a hundred years: the model stays loaded." }),
    size_vram: z.int().nonnegative().meta({
      description: "File size if a GPU computes the model, else 0.",
    }),
    context_length: z.int().nonnegative().meta({
      description: "Maximum tokens of one request: prompt and answer together.",
    }),
  })
  .meta({ id: "OllamaRunningModel" });

/** The answer of `/api/tags`. */
export const listedModels = z
  .object({ models: z.array(listedModel) })
  .meta({ id: "OllamaListedModels" });

/** The answer of `/api/ps`. */
export const runningModels = z
  .object({ models: z.array(runningModel) })
  .meta({ id: "OllamaRunningModels" });

/** The answer of `/api/show`. */
export const shownModel = z
  .object({
    license: z.string(),
    modelfile: z.string(),
    parameters: z.string().meta({ description: "`num_ctx`: what one request may hold." }),
    template: z.string().meta({ description: "Always empty: not in the form that Ollama has." }),
    system: z.string(),
    details,
    messages: z.array(z.never()),
    model_info: z.record(z.string(), z.union([z.string(), z.number()])).meta({
      description:
        "Keys of GGUF files. The context length is what one request may hold, not what the model was trained with.",
    }),
    capabilities: z.array(z.enum(["completion", "tools", "thinking", "insert", "embedding"])),
    modified_at: z.iso.datetime(),
  })
  .meta({ id: "OllamaShownModel" });

export type ListedModels = z.infer<typeof listedModels>;
export type RunningModels = z.infer<typeof runningModels>;
export type ShownModel = z.infer<typeof shownModel>;
