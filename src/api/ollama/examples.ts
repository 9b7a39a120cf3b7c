import type { z } from "zod";
import { createRefusal, createShutdownError, GgufdError } from "../../core/errors.js";
import { internalError } from "../description/example-errors.js";
import type { embedResponse } from "./embed.js";
import type { listedModels, runningModels, shownModel } from "./models.js";
import type { progressLine } from "./progress.js";
import type { chatResponse, generateResponse } from "./response-schema.js";

/** Errors of the routes that list models. */
export const listErrors = [internalError, createShutdownError()];

const overload = new GgufdError(
  "server_overloaded",
  "The server is overloaded: 256 requests are waiting.",
  { retryAfterSeconds: 4 },
);

const unknownModel = new GgufdError(
  "model_not_found",
  "The model `llama3` does not exist; this server serves `ggufd-mini`.",
);

const namedModelErrors = [
  unknownModel,
  new GgufdError("model_loading", "The model `ggufd-mini` is still loading.", {
    retryAfterSeconds: 2,
  }),
  new GgufdError(
    "model_unavailable",
    "This server runs without a model (it was started with --no-model).",
  ),
  ...listErrors,
];

/** Errors of the routes that generate. */
export const answerErrors = [
  createRefusal("invalid_request", [
    { field: "options.temperature", reason: 'expected a number of at least 0, got "hot"' },
  ]),
  createRefusal("unsupported_parameter", [
    {
      field: "options.tfs_z",
      reason: "expected a number of at least 1, got 0.5, which is not supported",
    },
  ]),
  new GgufdError(
    "context_length_exceeded",
    "This model's maximum context length is 2048 tokens, the messages have 3000.",
  ),
  new GgufdError(
    "chat_template_error",
    "The model's chat template refused the messages: roles must alternate.",
  ),
  ...namedModelErrors,
  overload,
];

/** Errors of the routes for embeddings. */
export const embedErrors = [
  createRefusal("invalid_request", [{ field: "input.1", reason: "expected a string, got 7" }]),
  new GgufdError(
    "context_length_exceeded",
    "input.1: expected at most 512 tokens, including special tokens, got 600.",
  ),
  ...namedModelErrors,
  overload,
];

/** Errors of `/api/show`. */
export const showErrors = [
  createRefusal("invalid_request", [
    { field: "model", reason: "expected a non-empty string, got 7" },
  ]),
  ...namedModelErrors,
];

/** Errors of the routes that write to the model folder. */
const storageErrors = [
  new GgufdError("storage_full", "The disk of the models is full."),
  new GgufdError(
    "storage_unavailable",
    "The models folder cannot be read or written; see the server's log.",
    {
      retryAfterSeconds: 5,
    },
  ),
];

/** Errors of `/api/pull`. */
export const pullErrors = [
  createRefusal("invalid_request", [
    {
      field: "model",
      reason:
        'expected a model from Ollama\'s registry, such as llama3.2:1b or user/name:tag, or from Hugging Face, such as hf.co/user/repo:QUANT, got "/etc/passwd"',
    },
  ]),
  new GgufdError("model_not_found", "Ollama's registry has no model llama3:7t."),
  new GgufdError("unsupported_operation", "This server fetches no models (--offline)."),
  new GgufdError("pull_failed", "registry.ollama.ai does not answer."),
  ...storageErrors,
  ...listErrors,
];

const hiddenModelsError = new GgufdError(
  "unsupported_operation",
  "Stored models are not served: the server was started with --stored-models hide; use --stored-models serve.",
);

const missingNameError = createRefusal("invalid_request", [
  { field: "model", reason: "expected a model's name, got nothing" },
]);

const inUseError = new GgufdError("model_in_use", "llama3: another process is changing it.");

/** Errors of the routes that change stored models. */
const changeErrors = [unknownModel, inUseError, hiddenModelsError, ...storageErrors, ...listErrors];

/** Errors of `/api/delete`. */
export const deleteErrors = [missingNameError, ...changeErrors];

/** Errors of `/api/copy`. */
export const copyErrors = [
  createRefusal("invalid_request", [
    {
      field: "destination",
      reason: 'expected a model\'s name, such as mine or user/mine:tag, got "../mine"',
    },
  ]),
  ...changeErrors,
];

/** Errors of `/api/create`. */
export const createErrors = [
  createRefusal("invalid_request", [
    { field: "from", reason: "expected the name of an existing model, got nothing" },
  ]),
  ...changeErrors,
];

export const examplePullLine: z.input<typeof progressLine> = {
  status: "pulling da58c38a9978",
  digest: "sha256:da58c38a997840a4de53412daad2fd20c1c8361f3d12f85bcf91f7f1a21ddb23",
  total: 4_794_464,
  completed: 1_048_576,
};

const TIMESTAMP = "2026-01-01T00:00:00.000Z";

const frame = {
  model: "ggufd-mini",
  created_at: TIMESTAMP,
  done: true,
  done_reason: "stop",
  total_duration: 36_100_000,
  load_duration: 0,
  prompt_eval_count: 14,
  prompt_eval_duration: 20_800_000,
  eval_count: 6,
  eval_duration: 13_400_000,
} as const;

export const exampleChat: z.input<typeof chatResponse> = {
  ...frame,
  message: { role: "assistant", content: "I am ggufd mini." },
};

export const exampleEmbed: z.input<typeof embedResponse> = {
  model: "bge-small",
  total_duration: 14_100_000,
  load_duration: 0,
  prompt_eval_count: 12,
  embeddings: [
    [0.6, -0.8, 0],
    [0, 0.8, 0.6],
  ],
};

export const exampleGenerate: z.input<typeof generateResponse> = {
  ...frame,
  response: "I am ggufd mini.",
};

const details: z.input<typeof shownModel>["details"] = {
  parent_model: "",
  format: "gguf",
  family: "llama",
  families: ["llama"],
  parameter_size: "4.44M",
  quantization_level: "Q8_0",
};

const listEntry = {
  name: "ggufd-mini:latest",
  model: "ggufd-mini:latest",
  digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  details,
};

export const exampleListed: z.input<typeof listedModels> = {
  models: [{ ...listEntry, size: 4_794_464, modified_at: TIMESTAMP }],
};

export const exampleRunning: z.input<typeof runningModels> = {
  models: [
    {
      ...listEntry,
      size: 9_437_184,
      expires_at: "2126-01-01T00:00:00.000Z",
      size_vram: 0,
      context_length: 2048,
    },
  ],
};

export const exampleShown: z.input<typeof shownModel> = {
  license: "",
  modelfile: "",
  parameters: "num_ctx 2048",
  template: "",
  system: "",
  details,
  messages: [],
  model_info: { "general.architecture": "llama", "llama.context_length": 2048 },
  capabilities: ["completion", "tools"],
  modified_at: TIMESTAMP,
};
