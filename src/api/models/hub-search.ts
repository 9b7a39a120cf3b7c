import { z } from "zod";
import type { HubRepository, HubSearch } from "../../core/hub-search.js";
import { estimateModelMemory } from "../../core/memory-use.js";
import { integerParameter, textParameter } from "../../validation/parameters.js";

const MAX_QUERY_CHARACTERS = 200;
const DEFAULT_REPOSITORIES = 8;
const MAX_REPOSITORIES = 20;

/** Reason of the refusal of a query. */
export const QUERY_ERROR = `expected 1 to ${MAX_QUERY_CHARACTERS} characters`;

/** Query of a search. */
export const searchQuery = z.object({
  query: textParameter()
    .trim()
    .min(1, { error: QUERY_ERROR })
    .max(MAX_QUERY_CHARACTERS, { error: QUERY_ERROR })
    .meta({ description: "Words of the names of repositories.", example: "qwen3 4b" }),
  limit: integerParameter(1, MAX_REPOSITORIES)
    .default(DEFAULT_REPOSITORIES)
    .meta({
      description: "Maximum number of repositories.",
      override: { default: DEFAULT_REPOSITORIES },
    }),
});

const bytes = (description: string) => z.int().nonnegative().meta({ description });
const count = (description: string) => z.int().nonnegative().nullable().meta({ description });

const hubQuantization = z
  .object({
    model: z.string().meta({ description: "Name for `POST /models`, which downloads the model." }),
    quantization: z.string().meta({
      description: "Such as `Q4_K_M`; the name of the file if several files have the same.",
    }),
    size: bytes("Size of all files of the download, in bytes."),
    has_projector: z.boolean().meta({
      description:
        "Whether the download has a projector, so that the model accepts images or audio.",
    }),
    estimated_memory: bytes(
      "Estimated memory of the loaded model, in bytes: the files, and an allowance for the KV cache.",
    ),
    fits: z.boolean().meta({
      description: "Whether `estimated_memory` is within the memory budget of this server.",
    }),
  })
  .meta({ id: "HubQuantization" });

const hubRepository = z
  .object({
    id: z.string().meta({ description: "Name of the repository: `user/repo`." }),
    downloads: z.int().nonnegative().meta({ description: "Downloads in the last 30 days." }),
    likes: z.int().nonnegative(),
    license: z.string().nullable().meta({ description: "Such as `apache-2.0`." }),
    is_gated: z.boolean().meta({
      description:
        "Whether downloads need `HF_TOKEN` of a user who has accepted the terms of the repository.",
    }),
    task: z.string().nullable().meta({ description: "Such as `text-generation`." }),
    architecture: z.string().nullable(),
    n_params: count("Number of parameters."),
    n_ctx_train: count("Context size of the training, in tokens."),
    quantizations: z.array(hubQuantization).nullable().meta({
      description: "The models, smallest first. `null`: the hub did not list the files in time.",
    }),
  })
  .meta({ id: "HubRepository" });

/** Result of a search. */
export const hubSearchResult = z
  .object({
    object: z.literal("list"),
    hub: z.url().meta({ description: "The hub, or the mirror in `HF_ENDPOINT`." }),
    memory_budget: bytes("Memory that models may use, main and GPU memory together, in bytes."),
    data: z.array(hubRepository),
  })
  .meta({ id: "HubSearchResult", description: "Repositories, most downloaded first." });

export type HubSearchResult = z.infer<typeof hubSearchResult>;

/** Converts what the library has found, with an estimate of the memory of each model. */
export function toHubSearchResult({ hub, budget, repositories }: HubSearch): HubSearchResult {
  const budgetBytes = Math.floor(budget.cpuBytes + budget.gpuBytes);
  return {
    object: "list",
    hub,
    memory_budget: budgetBytes,
    data: repositories.map((one) => toListedRepository(one, budgetBytes)),
  };
}

function toListedRepository(
  repository: HubRepository,
  budgetBytes: number,
): HubSearchResult["data"][number] {
  const { name, downloads, likes, license, isGated, task } = repository;
  const { architecture, parameters, trainContextSize, quantizations } = repository;
  return {
    id: name,
    downloads,
    likes,
    license: license ?? null,
    is_gated: isGated,
    task: task ?? null,
    architecture: architecture ?? null,
    n_params: parameters ?? null,
    n_ctx_train: trainContextSize ?? null,
    quantizations:
      quantizations?.map(({ pullName, label, sizeBytes, hasProjector }) => {
        const memory = estimateModelMemory(sizeBytes);
        return {
          model: pullName,
          quantization: label,
          size: sizeBytes,
          has_projector: hasProjector,
          estimated_memory: memory,
          fits: memory <= budgetBytes,
        };
      }) ?? null,
  };
}
