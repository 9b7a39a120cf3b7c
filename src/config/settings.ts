import { z } from "zod";
import type { ModelKind } from "../core/model-directory.js";
import { integerBetween, nonEmptyText, oneOf, trueOrFalse } from "../validation/fields.js";
import { computingSettings } from "./computing-settings.js";
import { memorySettings } from "./memory-settings.js";
import { modelsSettings } from "./model-settings.js";
import { networkSettings } from "./network-settings.js";
import { ropeSettings } from "./rope-settings.js";
import { samplingSettings } from "./sampling-settings.js";
import type { Setting } from "./setting.js";
import { deprecationText, mediaHost, positiveInteger, separated } from "./setting-fields.js";

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

/** Whether a key is the name of a setting. */
export function isSettingName(key: string): key is SettingName {
  return Object.hasOwn(settings, key);
}

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
