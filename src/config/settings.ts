import { z } from "zod";
import { integerBetween, nonEmptyText, oneOf, trueOrFalse } from "../validation/fields.js";
import { deprecationText } from "./deprecation.js";

/** How the text of a flag or an environment variable becomes a value. */
export type TextForm = "text" | "integer" | "switch" | "list";

/** One thing that can be configured, from whichever side. */
export interface Setting {
  readonly schema: z.ZodType;
  readonly form: TextForm;
  /** Stands for the value in the help; absent for switches. */
  readonly placeholder?: string;
  readonly help: string;
  /** Its values are never printed. */
  readonly secret?: boolean;
}

/** The model in `models/` that a fresh clone serves, relative to the package. */
export const SHIPPED_MODEL = "models/ggufd-mini.gguf";

/** The specification's simpler variant, section 4, rule 4: `/v1/todos` has its place. */
const DEPRECATED_BY_DEFAULT = "/todos 2026-12-01 2027-12-01 /v1/todos";

const positiveInteger = () => integerBetween(1, Number.MAX_SAFE_INTEGER);
const keys = () => z.array(nonEmptyText(), { error: "expected a list of keys" }).default([]);
/** An empty flag is an empty list: nothing is deprecated. */
const deprecations = () =>
  z
    .preprocess(
      (given) => (Array.isArray(given) ? given.filter((text) => text !== "") : given),
      z.array(deprecationText(), { error: "expected a list of deprecations" }),
    )
    .default([DEPRECATED_BY_DEFAULT]);
const orAuto = (schema: ReturnType<typeof integerBetween>, from: number) =>
  z.union([schema, z.literal("auto")], {
    error: `expected an integer of at least ${from}, or auto`,
  });

/**
 * Every setting: `contextSize` is the flag `--context-size`, the environment variable
 * `GGUFD_CONTEXT_SIZE` and the key `contextSize` of the configuration file.
 */
export const settings = {
  model: {
    schema: nonEmptyText().optional(),
    form: "text",
    placeholder: "PATH",
    help: "GGUF file to serve (default: the small model that ships with ggufd)",
  },
  alias: {
    schema: nonEmptyText().optional(),
    form: "text",
    placeholder: "NAME",
    help: "name that clients use (default: the file's name without .gguf)",
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
    help: "port to listen on; 0 takes a free one",
  },
  parallel: {
    schema: integerBetween(1, 256).optional(),
    form: "integer",
    placeholder: "N",
    help: "slots: requests that generate at the same time (default: 4, up to 16 if memory abounds)",
  },
  contextSize: {
    schema: integerBetween(16, Number.MAX_SAFE_INTEGER).optional(),
    form: "integer",
    placeholder: "N",
    help: "tokens of one slot (default: the model's, at most 4096 and half of the free memory)",
  },
  batchSize: {
    schema: integerBetween(1, 65_536).default(512),
    form: "integer",
    placeholder: "N",
    help: "tokens that one step evaluates at most",
  },
  itlTargetMs: {
    schema: integerBetween(1, 60_000).default(150),
    form: "integer",
    placeholder: "MS",
    help: "time between two tokens of an answer that prompts of others may stretch it to",
  },
  speculation: {
    schema: oneOf(["auto", "off"]).default("auto"),
    form: "text",
    placeholder: "auto|off",
    help: "propose tokens that may follow and verify several at once, where that pays",
  },
  draftModel: {
    schema: nonEmptyText().optional(),
    form: "text",
    placeholder: "PATH",
    help: "small GGUF file of the same vocabulary that proposes tokens too (default: none)",
  },
  cacheRam: {
    schema: integerBetween(0, 1_048_576).default(1024),
    form: "integer",
    placeholder: "MIB",
    help: "memory for conversations whose slot was needed for another; 0 forgets them",
  },
  cacheDir: {
    schema: nonEmptyText().optional(),
    form: "text",
    placeholder: "PATH",
    help: "folder that keeps conversations beyond the memory and over a restart",
  },
  cacheDisk: {
    schema: integerBetween(1, 1_073_741_824).default(8192),
    form: "integer",
    placeholder: "MIB",
    help: "room in --cache-dir",
  },
  kvCacheType: {
    schema: oneOf(["f16", "f32", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0"]).default("f16"),
    form: "text",
    placeholder: "TYPE",
    help: "numbers of the KV cache: f16, f32, bf16, q8_0, q5_1, q5_0, q4_1 or q4_0",
  },
  maxQueue: {
    schema: integerBetween(0, Number.MAX_SAFE_INTEGER).default(2048),
    form: "integer",
    placeholder: "N",
    help: "requests that may wait for a slot; more are answered 503",
  },
  threads: {
    schema: orAuto(positiveInteger(), 1).default("auto"),
    form: "integer",
    placeholder: "N|auto",
    help: "computing threads",
  },
  gpu: {
    schema: oneOf(["auto", "cuda", "vulkan", "metal", "off"]).default("auto"),
    form: "text",
    placeholder: "auto|cuda|vulkan|metal|off",
    help: "what computes; anything but auto and off must be there",
  },
  gpuLayers: {
    schema: orAuto(integerBetween(0, Number.MAX_SAFE_INTEGER), 0).default("auto"),
    form: "integer",
    placeholder: "N|auto",
    help: "model layers to put on the GPU",
  },
  engine: {
    schema: oneOf(["process", "inline"]).default("process"),
    form: "text",
    placeholder: "process|inline",
    help: "where the model runs: in a process of its own, or in the server's, for debugging",
  },
  apiKey: {
    schema: keys(),
    form: "list",
    placeholder: "KEY",
    help: "key that /v1 requests must bring; may be given several times",
    secret: true,
  },
  readOnlyApiKey: {
    schema: keys(),
    form: "list",
    placeholder: "KEY",
    help: "key that is good for GET and HEAD alone; may be given several times",
    secret: true,
  },
  apiKeyFile: {
    schema: nonEmptyText().optional(),
    form: "text",
    placeholder: "PATH",
    help: "file of keys, one in a line",
  },
  seed: {
    schema: integerBetween(0, 0xffff_fffe).optional(),
    form: "integer",
    placeholder: "N",
    help: "seed of requests that give none (default: a random one for each)",
  },
  acceptAnyModel: {
    schema: trueOrFalse().default(false),
    form: "switch",
    help: "answer requests for other models' names too",
  },
  todos: {
    schema: nonEmptyText().default("todos.json"),
    form: "text",
    placeholder: "PATH",
    help: "file of the todo service",
  },
  deprecate: {
    schema: deprecations(),
    form: "list",
    placeholder: "DEPRECATION",
    help: `"PATH DEPRECATED-ON SUNSET-ON SUCCESSOR": announced by headers; may be given several times (default: "${DEPRECATED_BY_DEFAULT}")`,
  },
  noModel: {
    schema: trueOrFalse().default(false),
    form: "switch",
    help: "run the todo service alone",
  },
  drainTimeout: {
    schema: integerBetween(0, 86_400).default(30),
    form: "integer",
    placeholder: "SECONDS",
    help: "time that running requests have to finish after SIGTERM or SIGINT",
  },
  logLevel: {
    schema: oneOf(["silent", "error", "warn", "info", "debug"]).default("warn"),
    form: "text",
    placeholder: "silent|error|warn|info|debug",
    help: "what is logged to standard error; info has a line for each request",
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** All settings, checked and complete. */
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
