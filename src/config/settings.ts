import { z } from "zod";
import type { ModelKind } from "../core/model-directory.js";
import { integerBetween, nonEmptyText, oneOf, trueOrFalse } from "../validation/fields.js";
import { accessSettings } from "./access-settings.js";
import { computingSettings } from "./computing-settings.js";
import { contentLogSettings } from "./content-log-settings.js";
import { memorySettings } from "./memory-settings.js";
import { modelsSettings } from "./model-settings.js";
import { networkSettings } from "./network-settings.js";
import { ropeSettings } from "./rope-settings.js";
import { samplingSettings } from "./sampling-settings.js";
import type { Setting } from "./setting.js";
import {
  anyPath,
  deprecationText,
  mediaHost,
  pathOrWord,
  positiveInteger,
  separated,
} from "./setting-fields.js";
import { toolSettings } from "./tool-settings.js";

/** Settings of time limits and the queue. */
const schedulingSettings = {
  maxQueue: {
    schema: integerBetween(0, Number.MAX_SAFE_INTEGER).default(2048),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "requests that may wait for a slot; further ones get 503",
  },
  maxQueuedTokens: {
    // A few minutes of prefill on a fast machine.
    schema: positiveInteger().default(4_000_000),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "prompt tokens that may wait for a slot; further requests get 503",
    details: "Estimated until a prompt is tokenised.",
  },
  queueTimeout: {
    // OpenAI's clients time out after ten minutes.
    schema: integerBetween(0, 86_400).default(600),
    factOf: "server",
    form: "integer",
    placeholder: "SECONDS",
    help: "longest wait for a slot before 503, in seconds; 0: no limit",
  },
  requestTimeout: {
    schema: integerBetween(0, 86_400).default(0),
    factOf: "server",
    form: "integer",
    placeholder: "SECONDS",
    help: "time limit for a whole answer, in seconds; 0: no limit",
    details: "From the arrival of the request to the end of the answer.",
  },
  writeTimeout: {
    schema: integerBetween(1, 3600).default(30),
    factOf: "server",
    form: "integer",
    placeholder: "SECONDS",
    help: "disconnect a client that stops reading for this long, in seconds",
  },
  drainTimeout: {
    schema: integerBetween(0, 86_400).default(30),
    factOf: "server",
    form: "integer",
    placeholder: "SECONDS",
    help: "time for requests to finish after SIGTERM or SIGINT, in seconds",
  },
  resumeStreams: {
    schema: trueOrFalse().default(false),
    factOf: "server",
    form: "switch",
    help: "resume open streams after an engine restart instead of failing them",
  },
} as const satisfies Record<string, Setting>;

/** Settings of images and audio in requests. */
const mediaSettings = {
  mediaRam: {
    schema: integerBetween(1, 1_048_576).optional(),
    factOf: "server",
    form: "integer",
    placeholder: "MIB",
    help: "memory for large bodies, images and audio, in MiB (default: a quarter of the machine's memory, at most 4096)",
    details:
      "Shared by all requests, for bodies larger than 256 KiB; requests beyond the limit wait.",
  },
  mediaFetch: {
    schema: separated(mediaHost()).default([]),
    factOf: "server",
    form: "list",
    placeholder: "HOST",
    help: "host that media URLs may be fetched from; repeatable (default: none)",
    details:
      "A name, `*.example.com` for all names below it, or `*` for any host; over https, at public addresses only.",
  },
  mediaPath: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    withPath: anyPath,
    form: "text",
    placeholder: "FOLDER",
    help: "folder whose files media URLs may name (default: none)",
    details: "`file://cats/1.png` is `cats/1.png` below it; every client can read its files so.",
  },
  maxMedia: {
    schema: integerBetween(1, 1024).default(64),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "images and audio files per request",
  },
  maxMediaFile: {
    schema: integerBetween(1, 1024).default(20),
    factOf: "server",
    form: "integer",
    placeholder: "MIB",
    help: "largest image or audio file, in MiB",
    details:
      "All files of a request together may have four times that size. Files inside JSON also count against `--max-body`.",
  },
} as const satisfies Record<string, Setting>;

/** Settings of logs, metrics and traces. */
const observationSettings = {
  logLevel: {
    schema: oneOf(["silent", "error", "warn", "info", "debug"]).default("warn"),
    factOf: "server",
    form: "text",
    placeholder: "silent|error|warn|info|debug",
    help: "level of the JSON log on standard error",
    details: "`info` adds one line per request.",
  },
  logFile: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "PATH",
    help: "file that the log is also appended to (default: none)",
    details: "Only its owner may read it. Reopened on SIGHUP.",
  },
  accessLog: {
    schema: nonEmptyText().default("log"),
    factOf: "server",
    form: "text",
    placeholder: "log|off|PATH",
    help: "destination of the access log: the log, off, or a file",
    details: "One JSON line per request; at level `info` in the log. A file is reopened on SIGHUP.",
  },
  metricsPerKey: {
    schema: trueOrFalse().default(false),
    factOf: "server",
    form: "switch",
    help: "label metrics with the name of the API key",
  },
  otlpEndpoint: {
    schema: z.url({ protocol: /^https?$/, error: "expected an http or https URL" }).optional(),
    factOf: "server",
    form: "text",
    placeholder: "URL",
    help: "OpenTelemetry collector for traces, OTLP over HTTP (default: OTEL_EXPORTER_OTLP_ENDPOINT, otherwise none)",
  },
  ...contentLogSettings,
} as const satisfies Record<string, Setting>;

/**
 * Deprecates the simpler variant of the specification, section 4, rule 4, in favour of `/v1/todos`.
 */
const DEFAULT_DEPRECATION = "/todos 2026-12-01 2027-12-01 /v1/todos";

/** Schema of deprecations. An empty flag means an empty list: nothing is deprecated. */
const deprecations = () =>
  z
    .preprocess(
      (raw) => (Array.isArray(raw) ? raw.filter((text) => text !== "") : raw),
      z.array(deprecationText(), { error: "expected a list of deprecations" }),
    )
    .default([DEFAULT_DEPRECATION]);

/** Settings of the to-do service. */
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
    help: `deprecated path, announced in response headers; repeatable (default: "${DEFAULT_DEPRECATION}")`,
    details: "Written as `PATH DEPRECATED-ON SUNSET-ON SUCCESSOR`, with dates as `YYYY-MM-DD`.",
  },
} as const satisfies Record<string, Setting>;

/** Path of the model that a fresh clone serves, relative to the package root. */
export const SHIPPED_MODEL = "models/ggufd-mini.gguf";

/** Settings of conversations stored on the server. */
const conversationsSettings = {
  conversations: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    form: "text",
    placeholder: "PATH|none",
    help: "data file of stored conversations; none keeps them in memory (default: conversations.jsonl next to --todos, in memory unless only this machine is served)",
  },
} as const satisfies Record<string, Setting>;

/** Settings of stored usage. */
const usageSettings = {
  usage: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    withPath: pathOrWord,
    form: "text",
    placeholder: "FOLDER|none",
    help: "folder of the usage per API key; none keeps none (default: ggufd/usage in $XDG_DATA_HOME or ~/.local/share)",
    details: "Counts of requests and tokens per hour; no prompts, no answers.",
  },
  usageRetention: {
    // 13 months.
    schema: integerBetween(1, 3650).default(397),
    factOf: "server",
    form: "integer",
    placeholder: "DAYS",
    help: "time for which usage is kept, in days",
  },
} as const satisfies Record<string, Setting>;

/** Settings of stored files and batches. */
const batchesSettings = {
  batches: {
    schema: nonEmptyText().optional(),
    factOf: "server",
    withPath: pathOrWord,
    form: "text",
    placeholder: "FOLDER|none",
    help: "folder of files and batches; none disables them (default: ggufd/batches in $XDG_DATA_HOME or ~/.local/share, none unless only this machine is served)",
  },
  batchesMaxSize: {
    schema: integerBetween(1, 1_048_576).default(20_480),
    factOf: "server",
    form: "integer",
    placeholder: "MIB",
    help: "size of all stored files, in MiB; each key has a share",
    details: "Uploads beyond it get 507. Results of running batches are always stored.",
  },
  batchesMaxFile: {
    schema: integerBetween(1, 65_536).default(512),
    factOf: "server",
    form: "integer",
    placeholder: "MIB",
    help: "largest uploaded file, in MiB",
  },
  batchesMaxAge: {
    schema: integerBetween(1, 3650).default(30),
    factOf: "server",
    form: "integer",
    placeholder: "DAYS",
    help: "lifetime of stored files and ended batches, in days",
  },
  batchLines: {
    schema: integerBetween(1, 1024).default(64),
    factOf: "server",
    form: "integer",
    placeholder: "N",
    help: "lines of batches that run at once per model",
    details: "Lines yield to all other requests.",
  },
} as const satisfies Record<string, Setting>;

/** Settings by topic, as shown in the help. */
export const settingGroups = {
  Models: modelsSettings,
  Sampling: samplingSettings,
  Memory: memorySettings,
  Computing: computingSettings,
  "RoPE and YaRN": ropeSettings,
  Scheduling: schedulingSettings,
  Network: networkSettings,
  "Sign-in": accessSettings,
  Media: mediaSettings,
  Tools: toolSettings,
  Observation: observationSettings,
  Usage: usageSettings,
  Conversations: conversationsSettings,
  Batches: batchesSettings,
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
  ...accessSettings,
  ...mediaSettings,
  ...toolSettings,
  ...observationSettings,
  ...usageSettings,
  ...conversationsSettings,
  ...batchesSettings,
  ...todosSettings,
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** Values of all settings, validated and complete. */
export type SettingValues = {
  readonly [Name in SettingName]: z.output<(typeof settings)[Name]["schema"]>;
};

/** Names of the per-model settings. */
export type ModelSettingName = {
  readonly [Name in SettingName]: (typeof settings)[Name]["factOf"] extends "server" ? never : Name;
}[SettingName];

/** Values of the per-model settings for one model. */
export type ModelValues = Pick<SettingValues, ModelSettingName>;

/** Source of a value: `--port`, `GGUFD_PORT`, `ggufd.json`, `models.yaml [qwen3]`, `default`. */
export type Origin = string;

/** Origin of each value of a model. */
export type ModelOrigins = Readonly<Record<ModelSettingName, Origin>>;

/** Model of a presets file, with its effective values from all sources. */
export interface PresetModel {
  readonly name: string;
  readonly kind: ModelKind;
  readonly values: ModelValues;
  readonly origins: ModelOrigins;
  /** Keys of its section without effect, with the reason, as lines for the start. */
  readonly notices: readonly string[];
}

/** Effective configuration. */
export type Config = SettingValues & {
  /** Models of the presets file, in its order. */
  readonly presets: readonly PresetModel[];
};

export const settingNames = Object.keys(settings) as SettingName[];

/** Names of the per-model settings. */
export const modelSettingNames = settingNames.filter(isOfModels);

/** Whether a key is the name of a setting. */
export function isSettingName(key: string): key is SettingName {
  return Object.hasOwn(settings, key);
}

function isOfModels(name: SettingName): name is ModelSettingName {
  return settings[name].factOf !== "server";
}

/** Former names of settings, which are still accepted, with the current names. */
export const olderNames: Readonly<Record<string, SettingName>> = { draftModel: "draft" };

/** `contextSize` → `--context-size` */
export function flagOf(name: string): string {
  return `--${splitWords(name).join("-")}`;
}

/** `contextSize` → `GGUFD_CONTEXT_SIZE` */
export function environmentVariableOf(name: string): string {
  return `GGUFD_${splitWords(name).join("_").toUpperCase()}`;
}

function splitWords(name: string): string[] {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).split("-");
}
