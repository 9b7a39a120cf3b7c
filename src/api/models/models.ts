import { z } from "zod";
import { findAdapter } from "../../core/adapters.js";
import type { ModelState, ServedModel } from "../../core/model-directory.js";
import type { LibraryModel, ModelSource, OngoingPull } from "../../core/model-library.js";
import {
  cursorParameter,
  decodeCursor,
  encodeCursor,
  MAX_PAGE_SIZE,
  pagination,
  toPagination,
} from "../../validation/pagination.js";
import { booleanParameter, integerParameter } from "../../validation/parameters.js";
import { describeFailure, type ReasonDetail } from "./load-failure.js";
import { modelDetails } from "./model-details.js";
import { buildReplicas, replicas } from "./replicas.js";

/** Capabilities of models, as named in `/v1/models`. */
const CAPABILITIES = [
  "completion",
  "tools",
  "structured_output",
  "reasoning",
  "infill",
  "vision",
  "audio",
  "embedding",
  "reranking",
] as const;

export type Capability = (typeof CAPABILITIES)[number];

/**
 * Lists the capabilities of a model. Tools and structured output work with every model that
 * generates text.
 */
function listCapabilities(served: ServedModel): Capability[] {
  if (served.kind !== "generation") return [served.kind];
  const { rendersReasoning = false, fillsGaps = false, media = [] } = served.engine;
  return [
    "completion",
    "tools",
    "structured_output",
    ...(rendersReasoning ? (["reasoning"] as const) : []),
    ...(fillsGaps ? (["infill"] as const) : []),
    ...(media.includes("image") ? (["vision"] as const) : []),
    ...(media.includes("audio") ? (["audio"] as const) : []),
    ...(served.embeddings === undefined ? [] : (["embedding"] as const)),
  ];
}

const count = (description: string) => z.int().nonnegative().meta({ description });

/** States of a model, under llama-server's names where defined. */
export const STATUS = {
  absent: "unloaded",
  loading: "loading",
  ready: "loaded",
  lost: "restarting",
  unloading: "unloading",
} as const satisfies Record<ModelState["state"], string>;

/** Progress of a download, by file name. */
export const downloadProgress = z
  .record(
    z.string(),
    z.object({
      done: count("Bytes received."),
      total: count("Size of the file, in bytes. 0 until it is known."),
    }),
  )
  .meta({ id: "DownloadProgress", description: "Progress of a download, by file name." });

/** @returns the progress of each file */
export function toDownloadProgress({ files }: OngoingPull): z.infer<typeof downloadProgress> {
  return Object.fromEntries(
    files.map(({ path, completedBytes, totalBytes = 0 }) => [
      path,
      { done: completedBytes, total: totalBytes },
    ]),
  );
}

/** Exit code of a failed load. In llama-server it is the exit code of a process. */
const FAILED_EXIT_CODE = 1;

const status = z
  .object({
    value: z.enum([...Object.values(STATUS), "downloading"]),
    progress: z
      .union([z.number().min(0).max(1), downloadProgress])
      .optional()
      .meta({
        description:
          "While loading: the loaded fraction, from 0 to 1. While downloading: the progress of each file.",
      }),
    failed: z.literal(true).optional().meta({
      description: "Whether the last load failed.",
    }),
    exit_code: z
      .literal(FAILED_EXIT_CODE)
      .optional()
      .meta({ description: "Exit code of the failed load. Present with `failed`." }),
    reason: z.string().optional().meta({
      description:
        "Why the last load failed. Present with `failed`. Names files of the server only for keys with the scope `admin`.",
    }),
  })
  .meta({ id: "ModelStatus" });

/** Properties that are known once a model is loaded. */
export const loadedProperties = z.object({
  max_model_len: count("Maximum number of tokens of one request, prompt and completion together."),
  capabilities: z.array(z.enum(CAPABILITIES)).meta({
    description: "`infill`: fill-in-the-middle tokens; `vision`, `audio`: image or audio input.",
  }),
  meta: z.object({
    name: z.string(),
    architecture: z.string(),
    n_ctx: count("Same as `max_model_len`."),
    n_ctx_train: count("Context size of the training, in tokens."),
    n_params: count("Number of parameters."),
    n_vocab: count("Vocabulary size in tokens."),
    size: count("File size in bytes."),
    n_slots: count("Maximum number of concurrent requests."),
    replicas: replicas.optional().meta({
      description: "Engines of a model with `--replicas`. Absent: the model has one.",
    }),
  }),
});

/** Model in OpenAI's format, with fields that vLLM's and llama-server's clients read. */
export const model = z
  .object({
    id: z.string(),
    aliases: z
      .array(z.string())
      .meta({ description: "Other names of the model, which requests may use." }),
    object: z.literal("model"),
    created: z.int().nonnegative().meta({
      description:
        "Unix time in seconds at which the model was loaded, or first seen if it is not loaded.",
    }),
    owned_by: z.string(),
    root: z
      .string()
      .meta({ description: "Name of the model; for a LoRA adapter, of its base model." }),
    parent: z
      .string()
      .optional()
      .meta({ description: "Same as `root` for a LoRA adapter. Absent for other models." }),
    status,
    architecture: z
      .object({
        input_modalities: z.array(z.enum(["text", "image", "audio"])),
        output_modalities: z.array(z.literal("text")),
      })
      .meta({
        description:
          "Input and output modalities. Inputs other than text are known once the model is loaded.",
      }),
    source: z.enum(["preset", "cache", "models_dir"]).meta({
      description:
        "Origin of the model. `preset`: configured; `cache`: in ggufd's models folder, or downloading; `models_dir`: in another folder.",
    }),
    can_remove: z.boolean().meta({
      description: "Whether `DELETE /models` can delete the model or stop its download.",
    }),
    details: modelDetails.optional().meta({
      description: "Facts about the model and its files. Present with `?details=true`.",
    }),
    ...loadedProperties.partial().shape,
  })
  .meta({ id: "Model" });

export type ListedModel = z.infer<typeof model>;

const nativeCapability = z.enum(["completion", "multimodal"]);

type NativeCapability = z.infer<typeof nativeCapability>;

/** Entry of llama-server's `models`, without its fields that are always empty. */
const nativeModel = z
  .object({
    name: z.string(),
    model: z.string().meta({ description: "Same as `name`." }),
    type: z.literal("model"),
    capabilities: z.array(nativeCapability).meta({
      description: "`multimodal`: the model is loaded and accepts images or audio.",
    }),
    details: z.object({ format: z.literal("gguf") }),
  })
  .meta({ id: "NativeModel" });

/** OpenAI's model list with the specification's `pagination`. */
export const modelList = z
  .object({
    object: z.literal("list"),
    data: z.array(model),
    pagination,
    default_model: z.string().nullable().meta({
      description:
        "Model that generates text for requests without `model`. `null`: they must name one.",
    }),
    can_download: z.boolean().meta({
      description: "Whether this API key can download models with `POST /models`.",
    }),
    models: z.array(nativeModel).meta({
      description: "The same models for llama-server's clients: names and capabilities.",
    }),
  })
  .meta({ id: "ModelList", description: "A page of models." });

export type ModelList = z.infer<typeof modelList>;

/** Capabilities in llama-server's terms: `multimodal` accepts media. */
function toNativeCapabilities({ architecture }: ListedModel): NativeCapability[] {
  const isMultimodal = architecture.input_modalities.length > 1;
  return isMultimodal ? ["completion", "multimodal"] : ["completion"];
}

/** Query of the model list. Unknown parameters are ignored, as in all OpenAI endpoints. */
export const modelListQuery = z.object({
  reload: z
    .unknown()
    .optional()
    .meta({
      description:
        "Any value: reads the presets file again first. Ignored if the API key lacks the scope `admin`, or is read-only.",
      override: { type: "string" },
    }),
  details: booleanParameter()
    .optional()
    .meta({
      description:
        "Whether models have `details`. Reads the headers of new files, which takes about a second.",
      override: { type: "boolean" },
    }),
  limit: integerParameter(1, MAX_PAGE_SIZE)
    .default(MAX_PAGE_SIZE)
    .meta({
      description: "Maximum number of models per page.",
      example: 20,
      override: { default: MAX_PAGE_SIZE },
    }),
  cursor: cursorParameter(),
});

type ModelListQuery = z.infer<typeof modelListQuery>;

/** Source of a model in llama-server's terms, and whether a request can remove it. */
const SOURCES = {
  configured: { source: "preset", can_remove: false },
  own: { source: "cache", can_remove: true },
  added: { source: "models_dir", can_remove: true },
  "other-program": { source: "models_dir", can_remove: false },
} as const satisfies Record<ModelSource, Pick<ListedModel, "source" | "can_remove">>;

/** Builds the entry of a model, or of its adapter with the given name. */
export function toNamedModel(model: LibraryModel, name: string, detail: ReasonDetail): ListedModel {
  const isAdapter = name !== model.alias && findAdapter(model, name) !== undefined;
  return isAdapter ? toAdapter(model, name, detail) : toModel(model, detail);
}

/** Builds the entry of an adapter: its model under another name. */
export function toAdapter(model: LibraryModel, name: string, detail: ReasonDetail): ListedModel {
  return {
    ...toModel(model, detail),
    id: name,
    aliases: [],
    parent: model.alias,
    can_remove: false,
  };
}

type ListedFacts = "alias" | "aliases" | "createdAt" | "state" | "loaded" | "from" | "failure";

/** Builds the entry of a model. */
export function toModel(
  { alias, aliases, createdAt, state, loaded, from, failure }: Pick<LibraryModel, ListedFacts>,
  detail: ReasonDetail,
): ListedModel {
  return {
    ...identityOf(alias, createdAt),
    aliases: [...aliases],
    architecture: architectureOf(loaded),
    ...SOURCES[from],
    status: {
      value: STATUS[state.state],
      ...(state.state === "loading" && { progress: state.progress }),
      ...(failure !== undefined && {
        failed: true,
        exit_code: FAILED_EXIT_CODE,
        reason: describeFailure(failure, detail),
      }),
    },
    ...(loaded !== undefined && buildProperties(loaded)),
  };
}

/** Builds the entry of a model that is being fetched. */
export function toDownload(pull: OngoingPull): ListedModel {
  return {
    ...identityOf(pull.name, Math.floor(Date.now() / 1000)),
    aliases: [],
    architecture: architectureOf(undefined),
    ...SOURCES.own,
    status: { value: "downloading", progress: toDownloadProgress(pull) },
  };
}

function identityOf(id: string, created: number) {
  return {
    id,
    object: "model",
    created,
    owned_by: "ggufd",
    root: id,
  } satisfies Partial<ListedModel>;
}

function architectureOf(loaded: ServedModel | undefined): ListedModel["architecture"] {
  const media = loaded?.kind === "generation" ? (loaded.engine.media ?? []) : [];
  return { input_modalities: ["text", ...media], output_modalities: ["text"] };
}

/** Builds the properties of a loaded model. */
export function buildProperties(served: ServedModel): z.infer<typeof loadedProperties> {
  const { model } = served.engine;
  return {
    max_model_len: model.contextSize,
    capabilities: listCapabilities(served),
    meta: {
      name: model.name,
      architecture: model.architecture,
      n_ctx: model.contextSize,
      n_ctx_train: model.trainContextSize,
      n_params: model.parameters,
      n_vocab: model.vocabularySize,
      size: model.sizeBytes,
      n_slots: served.kind === "generation" ? served.engine.slots : served.engine.sequences,
      ...buildReplicas(served),
    },
  };
}

/** Compares models by name, for a list whose order is stable between pages. */
export function compareNames(a: ListedModel, b: ListedModel): number {
  return a.id < b.id ? -1 : 1;
}

const CURSOR_SCOPE = "models";

/**
 * Returns a page of the models and their adapters, sorted by name (keyset pagination), so that the
 * order is stable when models are added or removed between pages.
 * @throws {GgufdError} `invalid_cursor`
 */
export function toModelList(
  models: readonly ListedModel[],
  { limit, cursor }: Pick<ModelListQuery, "limit" | "cursor">,
  facts: Pick<ModelList, "default_model" | "can_download">,
): ModelList {
  const afterName = cursor === undefined ? "" : decodeCursor(CURSOR_SCOPE, cursor, z.string());
  const remainingModels = models.filter(({ id }) => id > afterName).toSorted(compareNames);
  const page = remainingModels.slice(0, limit);
  const last = remainingModels.length > limit ? page.at(-1) : undefined;
  return {
    object: "list",
    data: page,
    pagination: toPagination(last && encodeCursor(CURSOR_SCOPE, last.id)),
    ...facts,
    models: page.map((one) => ({
      name: one.id,
      model: one.id,
      type: "model",
      capabilities: toNativeCapabilities(one),
      details: { format: "gguf" },
    })),
  };
}
