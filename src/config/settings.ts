import { z } from "zod";
import { MAX_ADAPTERS } from "../core/adapters.js";
import type { ModelKind } from "../core/model-directory.js";
import { TOOL_FORMATS } from "../core/output-format.js";
import { integerBetween, nonEmptyText, oneOf, trueOrFalse } from "../validation/fields.js";
import { listenAddresses } from "./listen-addresses.js";
import { ropeSettings } from "./rope-settings.js";
import { samplingSettings } from "./sampling-settings.js";
import { everyModel, type Setting } from "./setting.js";
import {
  adapter,
  addressOrNetwork,
  chatTemplateText,
  deprecationText,
  hostName,
  keptFor,
  layerCount,
  mediaHost,
  memoryBudget,
  metadataOverride,
  orAuto,
  origins,
  positiveInteger,
  proportions,
  separated,
  tensorOverride,
} from "./setting-fields.js";

/** What is served, under which names. */
const modelsSettings = {
  model: {
    schema: nonEmptyText().optional(),
    factOf: ["generation"],
    form: "text",
    placeholder: "PATH",
    help: "GGUF model file to serve (default: the small model shipped with ggufd)",
  },
  alias: {
    schema: nonEmptyText().optional(),
    factOf: ["generation"],
    form: "text",
    placeholder: "NAME",
    help: "model name in the API (default: the file name without .gguf)",
  },
  embeddingModel: {
    schema: nonEmptyText().optional(),
    factOf: ["embedding"],
    form: "text",
    placeholder: "PATH",
    help: "GGUF embedding model to serve beside the model, for /v1/embeddings (default: none)",
  },
  embeddingAlias: {
    schema: nonEmptyText().optional(),
    factOf: ["embedding"],
    form: "text",
    placeholder: "NAME",
    help: "name of the embedding model in the API (default: the file name without .gguf)",
  },
  embeddingPooling: {
    schema: oneOf(["auto", "mean", "cls", "last"]).default("auto"),
    factOf: ["embedding"],
    form: "text",
    placeholder: "auto|mean|cls|last",
    help: "how an embedding model makes one vector of a text; auto does as its file says",
  },
  rerankingModel: {
    schema: nonEmptyText().optional(),
    factOf: ["reranking"],
    form: "text",
    placeholder: "PATH",
    help: "GGUF reranking model to serve beside the model, for /v1/rerank (default: none)",
  },
  rerankingAlias: {
    schema: nonEmptyText().optional(),
    factOf: ["reranking"],
    form: "text",
    placeholder: "NAME",
    help: "name of the reranking model in the API (default: the file name without .gguf)",
  },
  modelsPreset: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "FILE",
    help: "file of models with settings of their own: YAML or JSON, or an INI file of llama-server (default: none)",
  },
  loadOnStartup: {
    schema: trueOrFalse().optional(),
    factOf: everyModel,
    form: "switch",
    help: "load models when the server starts (default: those of flags, and not those of --models-preset)",
  },
  pinned: {
    schema: trueOrFalse().default(false),
    factOf: everyModel,
    form: "switch",
    help: "a model that is loaded stays, whatever others need its memory",
  },
  modelTtl: {
    schema: keptFor().default("for-ever"),
    factOf: everyModel,
    form: "integer",
    placeholder: "SECONDS",
    help: "time after its last request for which a model stays loaded, in seconds or as 5m or 1h30m; -1 for ever",
  },
  noModel: {
    schema: trueOrFalse().default(false),
    factOf: "server",
    form: "switch",
    help: "without a model that generates text: only the to-do service, and other models if there are any",
  },
  acceptAnyModel: {
    schema: trueOrFalse().default(false),
    factOf: "server",
    form: "switch",
    help: "answer requests for any model name with the served model",
  },
  hostedTools: {
    schema: oneOf(["leave-out", "refuse"]).default("leave-out"),
    factOf: "server",
    form: "text",
    placeholder: "leave-out|refuse",
    help: "tools of a response that run on OpenAI's servers, such as web_search: the model is not told of them, or the request is refused",
  },
  toolFormat: {
    schema: oneOf(TOOL_FORMATS).default("auto"),
    factOf: ["generation"],
    form: "text",
    placeholder: "auto|NAME",
    help: "how the model writes tool calls, by the names in docs/tools.md; auto finds out from its chat template",
  },
  chatTemplate: {
    schema: chatTemplateText().optional(),
    factOf: ["generation"],
    form: "text",
    placeholder: "JINJA",
    help: "chat template in Jinja, or chatml (default: the one of the model's file)",
  },
  chatTemplateFile: {
    schema: nonEmptyText().optional(),
    factOf: ["generation"],
    form: "text",
    placeholder: "PATH",
    help: "file of the chat template, instead of --chat-template (default: none)",
  },
  systemPrompt: {
    schema: nonEmptyText().optional(),
    factOf: ["generation"],
    form: "text",
    placeholder: "TEXT",
    help: "system message of conversations that have none (default: they stay without)",
  },
  overrideKv: {
    schema: separated(metadataOverride()).default([]),
    factOf: everyModel,
    form: "list",
    placeholder: "KEY=TYPE:VALUE",
    help: "value that takes the place of one in the model's file; TYPE is int, float, bool or str; repeatable (default: none)",
  },
  lora: {
    schema: separated(adapter(), MAX_ADAPTERS).default([]),
    factOf: ["generation"],
    form: "list",
    placeholder: "[NAME=]PATH[:SCALE]",
    help: "LoRA adapter of the model; with a name and no scale, it is used by requests that ask for it by this name, otherwise by all; repeatable (default: none)",
  },
  loraInitWithoutApply: {
    schema: trueOrFalse().default(false),
    factOf: ["generation"],
    form: "switch",
    help: "every LoRA adapter is used by those requests alone that ask for it, as if its scale were 0 otherwise",
  },
  allowRuntimeLora: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "FOLDER",
    help: "clients with a key of the scope admin may load LoRA adapters that are files below this folder, and unload any (default: they may not)",
  },
  mmproj: {
    schema: nonEmptyText().default("auto"),
    factOf: ["generation"],
    form: "text",
    placeholder: "PATH|auto|none",
    help: "projector that lets the model see images or hear audio; auto: the one beside a pulled model",
  },
  noMmprojOffload: {
    schema: z.boolean().default(false),
    factOf: ["generation"],
    form: "switch",
    help: "the projector computes on the CPU, also where the model has a GPU",
  },
  maxImageMegapixels: {
    schema: integerBetween(1, 2000).default(40),
    factOf: ["generation"],
    form: "integer",
    placeholder: "MP",
    help: "largest image, in millions of pixels: compared with what its file says before it is decoded",
  },
  maxAudioSeconds: {
    schema: integerBetween(1, 86_400).default(600),
    factOf: ["generation"],
    form: "integer",
    placeholder: "S",
    help: "longest piece of audio",
  },
  mediaDecodeSeconds: {
    schema: integerBetween(1, 600).default(5),
    factOf: ["generation"],
    form: "integer",
    placeholder: "S",
    help: "CPU time for decoding one image or piece of audio",
  },
  mediaCacheRam: {
    schema: integerBetween(0, 1_048_576).default(256),
    factOf: ["generation"],
    form: "integer",
    placeholder: "MIB",
    help: "memory for images and audio that are encoded, kept for prompts to come",
  },
  modelsDir: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "PATH",
    help: "folder of models that are pulled (default: ggufd/models in the user's data folder, $XDG_DATA_HOME or ~/.local/share)",
  },
  storedModels: {
    schema: oneOf(["auto", "serve", "hide"]).default("auto"),
    factOf: "server",
    form: "text",
    placeholder: "auto|serve|hide",
    help: "whether the models that are on this machine, as ggufd list shows them, are served by their names, each loaded when it is asked for; auto: where no model and no presets are configured",
  },
  offline: {
    schema: trueOrFalse().default(false),
    factOf: "server",
    form: "switch",
    help: "fetch no model: one that is not on this machine is an error",
  },
  seed: {
    schema: integerBetween(0, 0xffff_fffe).optional(),
    factOf: ["generation"],
    form: "integer",
    placeholder: "N",
    help: "sampling seed of requests without one (default: random for each request)",
  },
} as const satisfies Record<string, Setting>;

const cacheType = () => oneOf(["f16", "f32", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0"]);

/** How many requests share how much memory. */
const memorySettings = {
  memoryBudget: {
    schema: memoryBudget().optional(),
    factOf: "server",
    form: "text",
    placeholder: "GIB[,GIB]",
    help: "memory that the models which are loaded on demand and all others share, and behind a comma that of GPUs (default: most of what is free at the start)",
  },
  parallel: {
    schema: integerBetween(1, 256).optional(),
    factOf: ["generation"],
    form: "integer",
    placeholder: "N",
    help: "slots: requests that generate concurrently (default: 4, up to 16 if memory allows)",
  },
  contextSize: {
    schema: integerBetween(16, Number.MAX_SAFE_INTEGER).optional(),
    factOf: ["generation"],
    form: "integer",
    placeholder: "N",
    help: "context size per slot, in tokens (default: the model's, at most 32768, as far as memory allows)",
  },
  maxInputTokens: {
    schema: integerBetween(1, 1_048_576).optional(),
    factOf: ["embedding", "reranking"],
    form: "integer",
    placeholder: "N",
    help: "longest input of embedding and reranking models, in tokens (default: the model's, at most 8192, as far as memory allows)",
  },
  kvCacheType: {
    schema: cacheType().default("f16"),
    factOf: ["generation"],
    form: "text",
    placeholder: "TYPE",
    help: "data type of the KV cache: f16, f32, bf16, q8_0, q5_1, q5_0, q4_1 or q4_0",
  },
  cacheTypeK: {
    schema: cacheType().optional(),
    factOf: ["generation"],
    form: "text",
    placeholder: "TYPE",
    help: "data type of the keys in the KV cache (default: that of --kv-cache-type)",
  },
  cacheTypeV: {
    schema: cacheType().optional(),
    factOf: ["generation"],
    form: "text",
    placeholder: "TYPE",
    help: "data type of the values in the KV cache (default: that of --kv-cache-type)",
  },
  kvCacheLayout: {
    schema: oneOf(["auto", "split", "unified"]).default("auto"),
    factOf: ["generation"],
    form: "text",
    placeholder: "auto|split|unified",
    help: "split gives each slot an equal part of the KV cache, unified lets a request use all that is free",
  },
  cacheRam: {
    schema: integerBetween(0, 1_048_576).default(1024),
    factOf: ["generation"],
    form: "integer",
    placeholder: "MIB",
    help: "RAM budget for evicted KV state, in MiB; 0 disables it",
  },
  cacheDir: {
    schema: nonEmptyText().optional(),
    factOf: ["generation"],
    form: "text",
    placeholder: "PATH",
    help: "directory for evicted KV state beyond the RAM budget, kept across restarts (default: none)",
  },
  cacheDisk: {
    schema: integerBetween(1, 1_073_741_824).default(8192),
    factOf: ["generation"],
    form: "integer",
    placeholder: "MIB",
    help: "disk budget of --cache-dir, in MiB",
  },
  slotSavePath: {
    schema: nonEmptyText().optional(),
    factOf: ["generation"],
    form: "text",
    placeholder: "PATH",
    help: "directory for states that POST /slots/{id} saves and restores by name (default: none)",
  },
} as const satisfies Record<string, Setting>;

/** Where models are computed, and how. */
const computingSettings = {
  gpu: {
    schema: oneOf(["auto", "cuda", "vulkan", "metal", "off"]).default("auto"),
    factOf: everyModel,
    form: "text",
    placeholder: "auto|cuda|vulkan|metal|off",
    help: "compute backend; auto uses the best one with a GPU that the model fits on, off the CPU, any other must be available",
  },
  gpuLayers: {
    schema: orAuto(integerBetween(0, Number.MAX_SAFE_INTEGER), 0).default("auto"),
    factOf: everyModel,
    form: "integer",
    placeholder: "N|auto",
    help: "model layers to offload to the GPU",
  },
  device: {
    schema: separated(nonEmptyText()).optional(),
    factOf: everyModel,
    form: "list",
    placeholder: "NAME",
    help: "device that layers go to, as llama.cpp names it, e.g. CUDA0; repeatable (default: all GPUs)",
  },
  mainGpu: {
    schema: integerBetween(0, 255).optional(),
    factOf: everyModel,
    form: "integer",
    placeholder: "INDEX",
    help: "GPU that takes the model with --split-mode none, and what is not split with row (default: 0)",
  },
  splitMode: {
    schema: oneOf(["none", "layer", "row", "tensor"]).optional(),
    factOf: everyModel,
    form: "text",
    placeholder: "none|layer|row|tensor",
    help: "how the model is divided among several GPUs (default: layer)",
  },
  tensorSplit: {
    schema: proportions().optional(),
    factOf: everyModel,
    form: "text",
    placeholder: "N,N,…",
    help: "proportions of the model for the GPUs, e.g. 3,1 (default: by their free memory)",
  },
  overrideTensor: {
    schema: separated(tensorOverride()).optional(),
    factOf: everyModel,
    form: "list",
    placeholder: "PATTERN=TYPE",
    help: "buffer type of the tensors whose names match a regular expression, e.g. exps=CPU; repeatable",
  },
  cpuMoe: {
    schema: layerCount().optional(),
    factOf: everyModel,
    form: "integer",
    placeholder: "N|all",
    help: "layers whose experts stay in main memory, from the first on (default: 0)",
  },
  deviceSampling: {
    schema: oneOf(["auto", "on", "off"]).default("auto"),
    factOf: ["generation"],
    form: "text",
    placeholder: "auto|on|off",
    help: "sample tokens where their logits are computed, as far as llama.cpp can; auto on GPUs but for Vulkan, on everywhere",
  },
  threads: {
    schema: orAuto(positiveInteger(), 1).default("auto"),
    factOf: everyModel,
    form: "integer",
    placeholder: "N|auto",
    help: "CPU threads for decoding; auto benchmarks thread counts on the first start",
  },
  threadsBatch: {
    schema: orAuto(positiveInteger(), 1).default("auto"),
    factOf: everyModel,
    form: "integer",
    placeholder: "N|auto",
    help: "CPU threads for prompts; auto is as many as --threads, or benchmarked like them",
  },
  batchSize: {
    schema: integerBetween(1, 65_536).default(512),
    factOf: ["generation"],
    form: "integer",
    placeholder: "N",
    help: "maximum number of tokens evaluated per step",
  },
  itlTargetMs: {
    schema: integerBetween(1, 60_000).default(150),
    factOf: ["generation"],
    form: "integer",
    placeholder: "MS",
    help: "target inter-token latency while prompts are evaluated, in milliseconds; a multiple of that in bursts and where decoding is slow",
  },
  speculation: {
    schema: oneOf(["auto", "off"]).default("auto"),
    factOf: ["generation"],
    form: "text",
    placeholder: "auto|off",
    help: "speculative decoding: draft tokens and verify them in one pass where that is faster",
  },
  draft: {
    schema: nonEmptyText().default("auto"),
    factOf: ["generation"],
    form: "text",
    placeholder: "auto|none|PATH",
    help: "what drafts are proposed by beside the text: a small GGUF model with the same vocabulary or an EAGLE-3 head for the model; auto is the model's own layers for multi-token prediction, if it has any",
  },
  engine: {
    schema: oneOf(["process", "inline"]).default("process"),
    factOf: "server",
    form: "text",
    placeholder: "process|inline",
    help: "where the model runs: in a separate process, or inline in the server for debugging",
  },
  engineWatchdog: {
    schema: integerBetween(0, 86_400).default(60),
    factOf: "server",
    form: "integer",
    placeholder: "SECONDS",
    help: "time without a step or answer after which a model's process that has work is killed and restarted, in seconds; 0 waits for ever",
  },
} as const satisfies Record<string, Setting>;

/** How long requests wait and take, and how many may wait. */
const schedulingSettings = {
  maxQueue: {
    schema: integerBetween(0, Number.MAX_SAFE_INTEGER).default(2048),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "requests that may wait for a slot; beyond that the answer is 503",
  },
  maxQueuedTokens: {
    // A few minutes of prefill on a fast machine.
    schema: positiveInteger().default(4_000_000),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "prompt tokens that may wait for a slot, estimated until they are counted; beyond that the answer is 503",
  },
  queueTimeout: {
    // OpenAI's clients give up after ten minutes.
    schema: integerBetween(0, 86_400).default(600),
    factOf: "server",
    form: "integer",
    placeholder: "SECONDS",
    help: "time that a request may wait for a slot, in seconds; then the answer is 503; 0 is any time",
  },
  requestTimeout: {
    schema: integerBetween(0, 86_400).default(0),
    factOf: "server",
    form: "integer",
    placeholder: "SECONDS",
    help: "time for an answer, from the arrival of its request to its end, in seconds; 0 is any time",
  },
  writeTimeout: {
    schema: integerBetween(1, 3600).default(30),
    factOf: "server",
    form: "integer",
    placeholder: "SECONDS",
    help: "time after which a client that has stopped reading its answer loses it, in seconds",
  },
  drainTimeout: {
    schema: integerBetween(0, 86_400).default(30),
    factOf: "server",
    form: "integer",
    placeholder: "SECONDS",
    help: "time for requests in flight to finish after SIGTERM or SIGINT, in seconds",
  },
  resumeStreams: {
    schema: trueOrFalse().default(false),
    factOf: "server",
    form: "switch",
    help: "streams that have begun go on after a restart of the engine, after a pause; otherwise they end with an error",
  },
} as const satisfies Record<string, Setting>;

const keys = () => z.array(nonEmptyText(), { error: "expected a list of keys" }).default([]);

/** Who reaches the server, and what they may send. */
const networkSettings = {
  host: {
    schema: listenAddresses().default(["127.0.0.1"]),
    factOf: "server",
    form: "list",
    placeholder: "ADDRESS",
    help: "address to listen on: an IP address, a host name, or unix:PATH for a Unix socket; repeatable (default: 127.0.0.1)",
  },
  port: {
    schema: integerBetween(0, 65_535).default(8080),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "port to listen on; 0 picks a free port",
  },
  tlsCert: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "PATH",
    help: "PEM file of the certificate, with those that lead to its authority behind it: https at all addresses but Unix sockets; read again on SIGHUP (default: none, http)",
  },
  tlsKey: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "PATH",
    help: "PEM file of the private key of --tls-cert, without a passphrase; read again on SIGHUP (default: none)",
  },
  noPage: {
    schema: trueOrFalse().default(false),
    factOf: "server",
    form: "switch",
    help: "browsers get no page at /, but what other clients get",
  },
  allowedHost: {
    schema: z.array(hostName(), { error: "expected a list of host names" }).default([]),
    factOf: "server",
    form: "list",
    placeholder: "NAME",
    help: "host that requests may name in Host, beside this machine's; repeatable. Without any, other hosts are refused where every --host is a loopback address or a Unix socket, against DNS rebinding",
  },
  corsOrigin: {
    schema: origins().default(["*"]),
    factOf: "server",
    form: "list",
    placeholder: "*|none|ORIGIN",
    help: "origin of web pages that may use the server, e.g. https://example.com; repeatable; /api/todos is open to all",
  },
  trustProxy: {
    schema: z.array(addressOrNetwork(), { error: "expected a list of addresses" }).default([]),
    factOf: "server",
    form: "list",
    placeholder: "ADDRESS",
    help: "proxy, network of proxies as 10.0.0.0/8, or unix for those at a Unix socket, whose X-Forwarded-For names the client; repeatable",
  },
  maxConnections: {
    schema: integerBetween(1, 1_000_000).default(16_384),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "open connections; those beyond are closed",
  },
  maxConnectionsPerAddress: {
    schema: integerBetween(0, 1_000_000).default(4096),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "open connections of one client address, those of --trust-proxy excepted; those beyond are answered 429; 0 is any number",
  },
  maxBody: {
    schema: integerBetween(1, 64).optional(),
    factOf: "server",
    form: "integer",
    placeholder: "MIB",
    help: "largest request body, in MiB; all together are limited by --media-ram (default: 4, or 32 where a model may take images or audio)",
  },
  apiKey: {
    schema: keys(),
    factOf: "server",
    form: "list",
    placeholder: "KEY",
    help: "API key required for all routes but health, documentation and the plain to-dos; repeatable",
    secret: true,
  },
  readOnlyApiKey: {
    schema: keys(),
    factOf: "server",
    form: "list",
    placeholder: "KEY",
    help: "API key that permits only GET and HEAD; repeatable",
    secret: true,
  },
  apiKeyFile: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "PATH",
    help: "file of API keys, one per line, with names, scopes and limits; read again on SIGHUP",
  },
} as const satisfies Record<string, Setting>;

/** Images and audio of requests. */
const mediaSettings = {
  mediaRam: {
    schema: integerBetween(1, 1_048_576).optional(),
    factOf: "server",
    form: "integer",
    placeholder: "MIB",
    help: "memory for images, audio and bodies beyond 256 KiB of all requests, in MiB; others wait for it (default: a quarter of the machine's memory, at most 4096)",
  },
  mediaFetch: {
    schema: separated(mediaHost()).default([]),
    factOf: "server",
    form: "list",
    placeholder: "HOST",
    help: "host that images and audio of requests are fetched from over https, at public addresses: a name, *.example.com for all below it, or * for any; repeatable (default: nothing is fetched)",
  },
  maxMedia: {
    schema: integerBetween(1, 1024).default(64),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "images and pieces of audio in one request",
  },
  maxMediaFile: {
    schema: integerBetween(1, 1024).default(20),
    factOf: "server",
    form: "integer",
    placeholder: "MIB",
    help: "largest image or piece of audio, in MiB; all of a request may have four times that. What stands in JSON is limited by --max-body as well",
  },
} as const satisfies Record<string, Setting>;

/** What an operator sees. */
const observationSettings = {
  logLevel: {
    schema: oneOf(["silent", "error", "warn", "info", "debug"]).default("warn"),
    factOf: "server",
    form: "text",
    placeholder: "silent|error|warn|info|debug",
    help: "level of the JSON log on standard error; info adds one line per request",
  },
  accessLog: {
    schema: nonEmptyText().default("log"),
    factOf: "server",
    form: "text",
    placeholder: "log|off|PATH",
    help: "where one JSON line per request goes: to the log at level info, nowhere, or to a file, opened anew on SIGHUP",
  },
  metricsPerKey: {
    schema: trueOrFalse().default(false),
    factOf: "server",
    form: "switch",
    help: "/metrics has series of each API key, by its name",
  },
  otlpEndpoint: {
    schema: z.url({ protocol: /^https?$/, error: "expected an http or https URL" }).optional(),
    factOf: "server",
    form: "text",
    placeholder: "URL",
    help: "OpenTelemetry collector to send traces to over OTLP/HTTP (default: OTEL_EXPORTER_OTLP_ENDPOINT, otherwise none)",
  },
} as const satisfies Record<string, Setting>;

/** The specification's simpler variant, section 4, rule 4; `/v1/todos` replaces it. */
const DEFAULT_DEPRECATION = "/todos 2026-12-01 2027-12-01 /v1/todos";

/** An empty flag means an empty list: nothing is deprecated. */
const deprecations = () =>
  z
    .preprocess(
      (raw) => (Array.isArray(raw) ? raw.filter((text) => text !== "") : raw),
      z.array(deprecationText(), { error: "expected a list of deprecations" }),
    )
    .default([DEFAULT_DEPRECATION]);

/** The to-do service. */
const todosSettings = {
  todos: {
    schema: nonEmptyText().default("todos.json"),
    factOf: "server",
    form: "text",
    placeholder: "PATH",
    help: "data file of the to-do service",
  },
  deprecate: {
    schema: deprecations(),
    factOf: "server",
    form: "list",
    placeholder: "DEPRECATION",
    help: `deprecated path as "PATH DEPRECATED-ON SUNSET-ON SUCCESSOR" with dates as YYYY-MM-DD, announced in response headers; repeatable (default: "${DEFAULT_DEPRECATION}")`,
  },
} as const satisfies Record<string, Setting>;

/** Path of the model that a fresh clone serves, relative to the package root. */
export const SHIPPED_MODEL = "models/ggufd-mini.gguf";

/** What clients have the server keep. */
const conversationsSettings = {
  conversations: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "PATH|none",
    help: "data file of the conversations of /v1/conversations; none keeps them in memory (default: conversations.jsonl beside the file of --todos where every --host is a loopback address or a Unix socket, otherwise none)",
  },
} as const satisfies Record<string, Setting>;

/** The settings by what they are about, as the help shows them. */
export const settingGroups = {
  Models: modelsSettings,
  Sampling: samplingSettings,
  Memory: memorySettings,
  Computing: computingSettings,
  "RoPE and YaRN": ropeSettings,
  Scheduling: schedulingSettings,
  Network: networkSettings,
  Media: mediaSettings,
  Observation: observationSettings,
  Conversations: conversationsSettings,
  "To-dos": todosSettings,
} as const satisfies Record<string, Record<string, Setting>>;

/**
 * All settings: `contextSize` is the flag `--context-size`, the environment variable
 * `GGUFD_CONTEXT_SIZE` and the key `contextSize` of the configuration file.
 */
export const settings = {
  ...modelsSettings,
  ...samplingSettings,
  ...memorySettings,
  ...computingSettings,
  ...ropeSettings,
  ...schedulingSettings,
  ...networkSettings,
  ...mediaSettings,
  ...observationSettings,
  ...conversationsSettings,
  ...todosSettings,
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** The values of all settings, validated and complete. */
export type SettingValues = {
  readonly [Name in SettingName]: z.output<(typeof settings)[Name]["schema"]>;
};

/** The settings that are facts of models. */
export type ModelSettingName = {
  readonly [Name in SettingName]: (typeof settings)[Name]["factOf"] extends "server" ? never : Name;
}[SettingName];

/** Their values for one model. */
export type ModelValues = Pick<SettingValues, ModelSettingName>;

/** Source of a value: `--port`, `GGUFD_PORT`, `ggufd.json`, `models.yaml [qwen3]`, `default`. */
export type Origin = string;

/** Where each value of a model comes from. */
export type ModelOrigins = Readonly<Record<ModelSettingName, Origin>>;

/** A model of a presets file, with what holds of it by all sources. */
export interface PresetModel {
  readonly name: string;
  readonly kind: ModelKind;
  readonly values: ModelValues;
  readonly origins: ModelOrigins;
}

/** All that is configured. */
export type Config = SettingValues & {
  /** In the order of their file. */
  readonly presets: readonly PresetModel[];
};

export const settingNames = Object.keys(settings) as SettingName[];

/** The settings that are facts of models of some kind. */
export const modelSettingNames = settingNames.filter(isOfModels);

function isOfModels(name: SettingName): name is ModelSettingName {
  return settings[name].factOf !== "server";
}

/** Names that settings had, which are read as ever, with the names of today. */
export const olderNames: Readonly<Record<string, SettingName>> = { draftModel: "draft" };

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
