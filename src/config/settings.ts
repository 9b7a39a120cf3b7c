import { z } from "zod";
import { TOOL_FORMATS } from "../core/output-format.js";
import { integerBetween, nonEmptyText, oneOf, trueOrFalse } from "../validation/fields.js";
import { deprecationText } from "./deprecation.js";
import { addressOrNetwork, hostName, origins } from "./network-fields.js";
import { layerCount, proportions, separated, tensorOverride } from "./placement-fields.js";

/** How the text of a flag or environment variable is converted to a value. */
export type TextForm = "text" | "integer" | "switch" | "list";

/** A setting, with its flag, environment variable and configuration key. */
export interface Setting {
  readonly schema: z.ZodType;
  readonly form: TextForm;
  /** Placeholder of the value in the help; absent for switches. */
  readonly placeholder?: string;
  readonly help: string;
  /** Values that are never printed. */
  readonly secret?: boolean;
}

/** Path of the model that a fresh clone serves, relative to the package root. */
export const SHIPPED_MODEL = "models/ggufd-mini.gguf";

/** The specification's simpler variant, section 4, rule 4; `/v1/todos` replaces it. */
const DEFAULT_DEPRECATION = "/todos 2026-12-01 2027-12-01 /v1/todos";

const positiveInteger = () => integerBetween(1, Number.MAX_SAFE_INTEGER);
const keys = () => z.array(nonEmptyText(), { error: "expected a list of keys" }).default([]);
/** An empty flag means an empty list: nothing is deprecated. */
const deprecations = () =>
  z
    .preprocess(
      (raw) => (Array.isArray(raw) ? raw.filter((text) => text !== "") : raw),
      z.array(deprecationText(), { error: "expected a list of deprecations" }),
    )
    .default([DEFAULT_DEPRECATION]);
const orAuto = (schema: ReturnType<typeof integerBetween>, min: number) =>
  z.union([schema, z.literal("auto")], {
    error: `expected an integer of at least ${min}, or auto`,
  });

/**
 * All settings: `contextSize` is the flag `--context-size`, the environment variable
 * `GGUFD_CONTEXT_SIZE` and the key `contextSize` of the configuration file.
 */
export const settings = {
  model: {
    schema: nonEmptyText().optional(),
    form: "text",
    placeholder: "PATH",
    help: "GGUF model file to serve (default: the small model shipped with ggufd)",
  },
  alias: {
    schema: nonEmptyText().optional(),
    form: "text",
    placeholder: "NAME",
    help: "model name in the API (default: the file name without .gguf)",
  },
  embeddingModel: {
    schema: nonEmptyText().optional(),
    form: "text",
    placeholder: "PATH",
    help: "GGUF embedding model to serve beside the model, for /v1/embeddings (default: none)",
  },
  embeddingAlias: {
    schema: nonEmptyText().optional(),
    form: "text",
    placeholder: "NAME",
    help: "name of the embedding model in the API (default: the file name without .gguf)",
  },
  embeddingPooling: {
    schema: oneOf(["auto", "mean", "cls", "last"]).default("auto"),
    form: "text",
    placeholder: "auto|mean|cls|last",
    help: "how an embedding model makes one vector of a text; auto does as its file says",
  },
  rerankingModel: {
    schema: nonEmptyText().optional(),
    form: "text",
    placeholder: "PATH",
    help: "GGUF reranking model to serve beside the model, for /v1/rerank (default: none)",
  },
  rerankingAlias: {
    schema: nonEmptyText().optional(),
    form: "text",
    placeholder: "NAME",
    help: "name of the reranking model in the API (default: the file name without .gguf)",
  },
  maxInputTokens: {
    schema: integerBetween(1, 1_048_576).optional(),
    form: "integer",
    placeholder: "N",
    help: "longest input of embedding and reranking models, in tokens (default: the model's, at most 8192, as far as memory allows)",
  },
  host: {
    schema: nonEmptyText().default("127.0.0.1"),
    form: "text",
    placeholder: "ADDRESS",
    help: "address to listen on",
  },
  port: {
    schema: integerBetween(0, 65_535).default(8080),
    form: "integer",
    placeholder: "N",
    help: "port to listen on; 0 picks a free port",
  },
  parallel: {
    schema: integerBetween(1, 256).optional(),
    form: "integer",
    placeholder: "N",
    help: "slots: requests that generate concurrently (default: 4, up to 16 if memory allows)",
  },
  contextSize: {
    schema: integerBetween(16, Number.MAX_SAFE_INTEGER).optional(),
    form: "integer",
    placeholder: "N",
    help: "context size per slot, in tokens (default: the model's, at most 32768, as far as memory allows)",
  },
  batchSize: {
    schema: integerBetween(1, 65_536).default(512),
    form: "integer",
    placeholder: "N",
    help: "maximum number of tokens evaluated per step",
  },
  itlTargetMs: {
    schema: integerBetween(1, 60_000).default(150),
    form: "integer",
    placeholder: "MS",
    help: "target inter-token latency while prompts are evaluated, in milliseconds; up to five times that in bursts",
  },
  speculation: {
    schema: oneOf(["auto", "off"]).default("auto"),
    form: "text",
    placeholder: "auto|off",
    help: "speculative decoding: draft tokens and verify them in one pass where that is faster",
  },
  draftModel: {
    schema: nonEmptyText().optional(),
    form: "text",
    placeholder: "PATH",
    help: "small GGUF draft model with the same vocabulary, for speculative decoding (default: none)",
  },
  toolFormat: {
    schema: oneOf(TOOL_FORMATS).default("auto"),
    form: "text",
    placeholder: "auto|NAME",
    help: "how the model writes tool calls, by the names in docs/tools.md; auto finds out from its chat template",
  },
  cacheRam: {
    schema: integerBetween(0, 1_048_576).default(1024),
    form: "integer",
    placeholder: "MIB",
    help: "RAM budget for evicted KV state, in MiB; 0 disables it",
  },
  cacheDir: {
    schema: nonEmptyText().optional(),
    form: "text",
    placeholder: "PATH",
    help: "directory for evicted KV state beyond the RAM budget, kept across restarts (default: none)",
  },
  cacheDisk: {
    schema: integerBetween(1, 1_073_741_824).default(8192),
    form: "integer",
    placeholder: "MIB",
    help: "disk budget of --cache-dir, in MiB",
  },
  kvCacheType: {
    schema: oneOf(["f16", "f32", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0"]).default("f16"),
    form: "text",
    placeholder: "TYPE",
    help: "data type of the KV cache: f16, f32, bf16, q8_0, q5_1, q5_0, q4_1 or q4_0",
  },
  kvCacheLayout: {
    schema: oneOf(["auto", "split", "unified"]).default("auto"),
    form: "text",
    placeholder: "auto|split|unified",
    help: "split gives each slot an equal part of the KV cache, unified lets a request use all that is free",
  },
  maxQueue: {
    schema: integerBetween(0, Number.MAX_SAFE_INTEGER).default(2048),
    form: "integer",
    placeholder: "N",
    help: "requests that may wait for a slot; beyond that the answer is 503",
  },
  maxQueuedTokens: {
    // A few minutes of prefill on a fast machine.
    schema: positiveInteger().default(4_000_000),
    form: "integer",
    placeholder: "N",
    help: "prompt tokens that may wait for a slot, estimated until they are counted; beyond that the answer is 503",
  },
  queueTimeout: {
    // OpenAI's clients give up after ten minutes.
    schema: integerBetween(0, 86_400).default(600),
    form: "integer",
    placeholder: "SECONDS",
    help: "time that a request may wait for a slot, in seconds; then the answer is 503; 0 is any time",
  },
  resumeStreams: {
    schema: trueOrFalse().default(false),
    form: "switch",
    help: "streams that have begun go on after a restart of the engine, after a pause; otherwise they end with an error",
  },
  threads: {
    schema: orAuto(positiveInteger(), 1).default("auto"),
    form: "integer",
    placeholder: "N|auto",
    help: "CPU threads for decoding; auto benchmarks thread counts on the first start",
  },
  threadsBatch: {
    schema: orAuto(positiveInteger(), 1).default("auto"),
    form: "integer",
    placeholder: "N|auto",
    help: "CPU threads for prompts; auto is as many as --threads, or benchmarked like them",
  },
  gpu: {
    schema: oneOf(["auto", "cuda", "vulkan", "metal", "off"]).default("auto"),
    form: "text",
    placeholder: "auto|cuda|vulkan|metal|off",
    help: "compute backend; auto uses the best available one, off the CPU, any other must be available",
  },
  gpuLayers: {
    schema: orAuto(integerBetween(0, Number.MAX_SAFE_INTEGER), 0).default("auto"),
    form: "integer",
    placeholder: "N|auto",
    help: "model layers to offload to the GPU",
  },
  device: {
    schema: separated(nonEmptyText()).optional(),
    form: "list",
    placeholder: "NAME",
    help: "device that layers go to, as llama.cpp names it, e.g. CUDA0; repeatable (default: all GPUs)",
  },
  mainGpu: {
    schema: integerBetween(0, 255).optional(),
    form: "integer",
    placeholder: "INDEX",
    help: "GPU that takes the model with --split-mode none, and what is not split with row (default: 0)",
  },
  splitMode: {
    schema: oneOf(["none", "layer", "row", "tensor"]).optional(),
    form: "text",
    placeholder: "none|layer|row|tensor",
    help: "how the model is divided among several GPUs (default: layer)",
  },
  tensorSplit: {
    schema: proportions().optional(),
    form: "text",
    placeholder: "N,N,…",
    help: "proportions of the model for the GPUs, e.g. 3,1 (default: by their free memory)",
  },
  overrideTensor: {
    schema: separated(tensorOverride()).optional(),
    form: "list",
    placeholder: "PATTERN=TYPE",
    help: "buffer type of the tensors whose names match a regular expression, e.g. exps=CPU; repeatable",
  },
  cpuMoe: {
    schema: layerCount().optional(),
    form: "integer",
    placeholder: "N|all",
    help: "layers whose experts stay in main memory, from the first on (default: 0)",
  },
  engine: {
    schema: oneOf(["process", "inline"]).default("process"),
    form: "text",
    placeholder: "process|inline",
    help: "where the model runs: in a separate process, or inline in the server for debugging",
  },
  engineWatchdog: {
    schema: integerBetween(0, 86_400).default(60),
    form: "integer",
    placeholder: "SECONDS",
    help: "time without a step or answer after which a model's process that has work is killed and restarted, in seconds; 0 waits for ever",
  },
  apiKey: {
    schema: keys(),
    form: "list",
    placeholder: "KEY",
    help: "API key required for all routes but health, documentation and the plain to-dos; repeatable",
    secret: true,
  },
  readOnlyApiKey: {
    schema: keys(),
    form: "list",
    placeholder: "KEY",
    help: "API key that permits only GET and HEAD; repeatable",
    secret: true,
  },
  apiKeyFile: {
    schema: nonEmptyText().optional(),
    form: "text",
    placeholder: "PATH",
    help: "file of API keys, one per line, with names, scopes and limits; read again on SIGHUP",
  },
  seed: {
    schema: integerBetween(0, 0xffff_fffe).optional(),
    form: "integer",
    placeholder: "N",
    help: "sampling seed of requests without one (default: random for each request)",
  },
  acceptAnyModel: {
    schema: trueOrFalse().default(false),
    form: "switch",
    help: "answer requests for any model name with the served model",
  },
  todos: {
    schema: nonEmptyText().default("todos.json"),
    form: "text",
    placeholder: "PATH",
    help: "data file of the to-do service",
  },
  deprecate: {
    schema: deprecations(),
    form: "list",
    placeholder: "DEPRECATION",
    help: `deprecated path as "PATH DEPRECATED-ON SUNSET-ON SUCCESSOR" with dates as YYYY-MM-DD, announced in response headers; repeatable (default: "${DEFAULT_DEPRECATION}")`,
  },
  noModel: {
    schema: trueOrFalse().default(false),
    form: "switch",
    help: "without a model that generates text: only the to-do service, and other models if there are any",
  },
  drainTimeout: {
    schema: integerBetween(0, 86_400).default(30),
    form: "integer",
    placeholder: "SECONDS",
    help: "time for requests in flight to finish after SIGTERM or SIGINT, in seconds",
  },
  requestTimeout: {
    schema: integerBetween(0, 86_400).default(0),
    form: "integer",
    placeholder: "SECONDS",
    help: "time for an answer, from the arrival of its request to its end, in seconds; 0 is any time",
  },
  writeTimeout: {
    schema: integerBetween(1, 3600).default(30),
    form: "integer",
    placeholder: "SECONDS",
    help: "time after which a client that has stopped reading its answer loses it, in seconds",
  },
  allowedHost: {
    schema: z.array(hostName(), { error: "expected a list of host names" }).default([]),
    form: "list",
    placeholder: "NAME",
    help: "host that requests may name in Host, beside this machine's; repeatable. Without any, other hosts are refused where --host is a loopback address, against DNS rebinding",
  },
  corsOrigin: {
    schema: origins().default(["*"]),
    form: "list",
    placeholder: "*|none|ORIGIN",
    help: "origin of web pages that may use the server, e.g. https://example.com; repeatable; /api/todos is open to all",
  },
  trustProxy: {
    schema: z.array(addressOrNetwork(), { error: "expected a list of addresses" }).default([]),
    form: "list",
    placeholder: "ADDRESS",
    help: "proxy, or network of proxies as 10.0.0.0/8, whose X-Forwarded-For names the client; repeatable",
  },
  maxConnections: {
    schema: integerBetween(1, 1_000_000).default(16_384),
    form: "integer",
    placeholder: "N",
    help: "open connections; those beyond are closed",
  },
  maxConnectionsPerAddress: {
    schema: integerBetween(0, 1_000_000).default(4096),
    form: "integer",
    placeholder: "N",
    help: "open connections of one client address, those of --trust-proxy excepted; those beyond are answered 429; 0 is any number",
  },
  maxBody: {
    schema: integerBetween(1, 64).default(4),
    form: "integer",
    placeholder: "MIB",
    help: "largest request body, in MiB; parsing a large one delays every stream",
  },
  logLevel: {
    schema: oneOf(["silent", "error", "warn", "info", "debug"]).default("warn"),
    form: "text",
    placeholder: "silent|error|warn|info|debug",
    help: "level of the JSON log on standard error; info adds one line per request",
  },
  metricsPerKey: {
    schema: trueOrFalse().default(false),
    form: "switch",
    help: "/metrics has series of each API key, by its name",
  },
  accessLog: {
    schema: nonEmptyText().default("log"),
    form: "text",
    placeholder: "log|off|PATH",
    help: "where one JSON line per request goes: to the log at level info, nowhere, or to a file, opened anew on SIGHUP",
  },
  otlpEndpoint: {
    schema: z.url({ protocol: /^https?$/, error: "expected an http or https URL" }).optional(),
    form: "text",
    placeholder: "URL",
    help: "OpenTelemetry collector to send traces to over OTLP/HTTP (default: OTEL_EXPORTER_OTLP_ENDPOINT, otherwise none)",
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** All settings, validated and complete. */
export type Config = {
  readonly [Name in SettingName]: z.output<(typeof settings)[Name]["schema"]>;
};

export const settingNames = Object.keys(settings) as SettingName[];

/** `contextSize` → `--context-size` */
export function flagOf(name: string): string {
  return `--${words(name).join("-")}`;
}

/** `contextSize` → `GGUFD_CONTEXT_SIZE` */
export function environmentVariableOf(name: string): string {
  return `GGUFD_${words(name).join("_").toUpperCase()}`;
}

function words(name: string): string[] {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).split("-");
}
