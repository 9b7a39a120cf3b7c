import { z } from "zod";
import { adapterNamed } from "../../core/adapters.js";
import type { ModelState, ServedModel } from "../../core/model-directory.js";
import type { LibraryModel, ModelSource, OngoingPull } from "../../core/model-library.js";
import {
  cursorParameter,
  decodeCursor,
  encodeCursor,
  MAX_PAGE_SIZE,
  pagination,
  paginationOf,
} from "../../validation/pagination.js";
import { integerParameter } from "../../validation/parameters.js";
import type { AskedLoads } from "./asked-loads.js";

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
function capabilitiesOf(served: ServedModel): Capability[] {
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
      done: count("Bytes that have come."),
      total: count("Bytes of the file; 0: not known yet."),
    }),
  )
  .meta({ id: "DownloadProgress", description: "The files of a download, by their names." });

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
          "While it is loading: the part that is loaded, from 0 to 1. While it is downloading: how far its files are.",
      }),
    failed: z.literal(true).optional().meta({
      description: "Its loading was asked for, and has failed since.",
    }),
    exit_code: z.literal(FAILED_EXIT_CODE).optional().meta({ description: "With `failed`." }),
  })
  .meta({ id: "ModelStatus" });

/** Properties that are known once a model is loaded. */
export const loadedProperties = z.object({
  max_model_len: count("Maximum tokens of one request: prompt and completion together."),
  capabilities: z.array(z.enum(CAPABILITIES)).meta({
    description:
      "`infill`: the model has tokens for the texts around a gap; `vision`, `audio`: it takes images, or audio.",
  }),
  meta: z.object({
    name: z.string(),
    architecture: z.string(),
    n_ctx: count("Equal to `max_model_len`."),
    n_ctx_train: count("Context size in tokens that the model was trained with."),
    n_params: count("Number of parameters."),
    n_vocab: count("Vocabulary size in tokens."),
    size: count("File size in bytes."),
    n_slots: count("Maximum number of concurrent requests."),
  }),
});

/** Model in OpenAI's format, with fields that vLLM's and llama-server's clients read. */
export const model = z
  .object({
    id: z.string(),
    object: z.literal("model"),
    created: z.int().nonnegative().meta({
      description: "When it was loaded, or became known while it is not: Unix time in seconds.",
    }),
    owned_by: z.string(),
    root: z.string().meta({ description: "Of a LoRA adapter, the model that has it." }),
    parent: z
      .string()
      .optional()
      .meta({ description: "The same. Absent: it is a model of its own." }),
    status,
    architecture: z
      .object({
        input_modalities: z.array(z.enum(["text", "image", "audio"])),
        output_modalities: z.array(z.literal("text")),
      })
      .meta({
        description:
          "What it takes and gives. What else than text it takes, is known once it is loaded.",
      }),
    source: z.enum(["preset", "cache", "models_dir"]).meta({
      description:
        "`preset`: the server was configured with it; `cache`: it is in ggufd's folder, or is being downloaded; `models_dir`: it is where the operator or another program has put it.",
    }),
    can_remove: z.boolean().meta({
      description: "Whether `DELETE /models` removes it, or ends its download.",
    }),
    ...loadedProperties.partial().shape,
  })
  .meta({ id: "Model" });

export type ListedModel = z.infer<typeof model>;

/** OpenAI's model list with the specification's `pagination`. */
export const modelList = z
  .object({ object: z.literal("list"), data: z.array(model), pagination })
  .meta({ id: "ModelList", description: "A page of the models." });

export type ModelList = z.infer<typeof modelList>;

/** Query of the model list. Unknown parameters are ignored, as in all OpenAI endpoints. */
export const modelListQuery = z.object({
  reload: z
    .unknown()
    .optional()
    .meta({
      description: "llama-server's; what is stored is looked at anew in any case.",
      override: { type: "string" },
    }),
  limit: integerParameter(1, MAX_PAGE_SIZE)
    .default(MAX_PAGE_SIZE)
    .meta({
      description: "Maximum number of models in a page.",
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
export function toNamedModel(
  model: LibraryModel,
  name: string,
  loads: Pick<AskedLoads, "hasFailed">,
): ListedModel {
  const isAdapter = name !== model.alias && adapterNamed(model, name) !== undefined;
  return isAdapter ? toAdapter(model, name, loads) : toModel(model, loads);
}

/** Builds the entry of an adapter: its model under another name. */
export function toAdapter(
  model: LibraryModel,
  name: string,
  loads: Pick<AskedLoads, "hasFailed">,
): ListedModel {
  return { ...toModel(model, loads), id: name, parent: model.alias, can_remove: false };
}

/**
 * Builds the entry of a model. @param loads explicitly requested loads, of which failures are
 * reported
 */
export function toModel(
  {
    alias,
    createdAt,
    state,
    loaded,
    from,
  }: Pick<LibraryModel, "alias" | "createdAt" | "state" | "loaded" | "from">,
  loads: Pick<AskedLoads, "hasFailed">,
): ListedModel {
  const hasFailed = state.state === "absent" && loads.hasFailed(alias);
  return {
    ...identityOf(alias, createdAt),
    architecture: architectureOf(loaded),
    ...SOURCES[from],
    status: {
      value: STATUS[state.state],
      ...(state.state === "loading" && { progress: state.progress }),
      ...(hasFailed && { failed: true, exit_code: FAILED_EXIT_CODE }),
    },
    ...(loaded !== undefined && propertiesOf(loaded)),
  };
}

/** Builds the entry of a model that is being fetched. */
export function toDownload(pull: OngoingPull): ListedModel {
  return {
    ...identityOf(pull.name, Math.floor(Date.now() / 1000)),
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
export function propertiesOf(served: ServedModel): z.infer<typeof loadedProperties> {
  const { model } = served.engine;
  return {
    max_model_len: model.contextSize,
    capabilities: capabilitiesOf(served),
    meta: {
      name: model.name,
      architecture: model.architecture,
      n_ctx: model.contextSize,
      n_ctx_train: model.trainContextSize,
      n_params: model.parameters,
      n_vocab: model.vocabularySize,
      size: model.sizeBytes,
      n_slots: served.kind === "generation" ? served.engine.slots : served.engine.sequences,
    },
  };
}

const CURSOR_SCOPE = "models";

/**
 * Returns a page of the models and their adapters, sorted by name (keyset pagination), so that the
 * order is stable when models are added or removed between pages.
 * @throws {GgufdError} `invalid_cursor`
 */
export function toModelList(
  models: readonly ListedModel[],
  { limit, cursor }: ModelListQuery,
): ModelList {
  const after = cursor === undefined ? "" : decodeCursor(CURSOR_SCOPE, cursor, z.string());
  const remainingModels = models
    .filter(({ id }) => id > after)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const page = remainingModels.slice(0, limit);
  const last = remainingModels.length > limit ? page.at(-1) : undefined;
  return {
    object: "list",
    data: page,
    pagination: paginationOf(last && encodeCursor(CURSOR_SCOPE, last.id)),
  };
}
