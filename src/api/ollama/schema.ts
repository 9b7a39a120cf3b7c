import { z } from "zod";
import { createRefusal } from "../../core/errors.js";
import { isJsonObject } from "../../core/json.js";
import { MAX_MESSAGES } from "../../core/prompt-size.js";
import {
  type SamplingName,
  type SamplingTable,
  type SamplingValue,
  samplingRows,
} from "../../core/sampling-table.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { integerBetween, nonEmptyText, oneOf, text, trueOrFalse } from "../../validation/fields.js";
import { keepIdentity } from "../../validation/keep-identity.js";
import { preview } from "../../validation/preview.js";
import { describeSampling, samplingValue } from "../../validation/sampling-schema.js";
import { type NoOpValues, only } from "../fields/unsupported-parameters.js";

/** Makes a field optional. Null means absent, as in Ollama's server. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

const UNBOUNDED = Number.POSITIVE_INFINITY;
/** Every piece of the answer is searched for each stop text. */
const MAX_STOP_TEXTS = 64;

const stop = z.union(
  [text(), boundedArray(z.array(text()), { max: MAX_STOP_TEXTS, of: "stop texts" })],
  { error: `expected a string, or at most ${MAX_STOP_TEXTS} of them` },
);

type OllamaFields = {
  readonly [Name in SamplingName as SamplingTable[Name] extends {
    readonly ollama: infer Option extends string;
  }
    ? Option
    : never]: ReturnType<typeof optional<z.ZodType<SamplingValue<Name>>>>;
};

/** Schemas of the sampling parameters, by their names in Ollama's options. */
function samplingOptions() {
  const fields = samplingRows.flatMap((row) =>
    row.ollama === undefined || row.kind === "samplers"
      ? []
      : [[row.ollama, optional(samplingValue(row)).meta({ description: describeSampling(row) })]],
  );
  return Object.fromEntries(fields) as OllamaFields;
}

/**
 * `options` of a request: sampling parameters and stopping conditions. Ollama's other options are
 * ignored if they configure the loading of a model, and refused if they would change the answer
 * (`rejectUnsupportedParameters`).
 */
export const options = z
  .looseObject(
    {
      num_predict: optional(integerBetween(-2, UNBOUNDED)).meta({
        description:
          "Maximum number of tokens to generate. 0 and below: as many as fit into the context.",
      }),
      stop: optional(stop).meta({
        description:
          "Strings that end the answer. They are not part of its text. Empty strings are ignored.",
      }),
      seed: optional(integerBetween(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).meta({
        description: "Seed of the random generator. -1 selects a random seed.",
      }),
      ...samplingOptions(),
    },
    { error: "expected an object" },
  )
  .meta({ id: "OllamaOptions", description: "Unknown options are ignored." });

export type OllamaOptions = z.output<typeof options>;

/** Far above typical requests, and validated within milliseconds. */
const MAX_TOOL_CALLS = 1_000;
const MAX_TOOLS = 1_000;
const MAX_IMAGES = 1_000;

/** Files in base64. */
const images = boundedArray(z.array(nonEmptyText(), { error: "expected an array" }), {
  max: MAX_IMAGES,
  of: "images",
});

const toolCall = z
  .looseObject(
    {
      id: optional(text()),
      function: z.looseObject(
        {
          name: nonEmptyText(),
          arguments: optional(
            keepIdentity(
              z.record(z.string(), z.unknown(), { error: "expected an object of arguments" }),
            ),
          ),
        },
        { error: "expected an object" },
      ),
    },
    { error: "expected a tool call object" },
  )
  .meta({ id: "OllamaRequestToolCall", description: "An earlier tool call of the assistant." });

const message = z
  .looseObject(
    {
      role: oneOf(["system", "user", "assistant", "tool"]),
      content: optional(text()),
      thinking: optional(text()).meta({ description: "Reasoning of an earlier answer." }),
      images: optional(images).meta({
        description:
          "Images or audio in base64, for models with such input. Allowed in messages of the user and tools; they precede the text.",
      }),
      tool_calls: optional(
        boundedArray(z.array(toolCall, { error: "expected an array of tool calls" }), {
          max: MAX_TOOL_CALLS,
          of: "tool calls",
        }),
      ),
      tool_name: optional(text()).meta({
        description: "Name of the tool that returned the result.",
      }),
      tool_call_id: optional(text()).meta({
        description:
          "Id of the call that the result belongs to. Default: the first call without a result, of `tool_name` if given.",
      }),
    },
    { error: "expected a message object" },
  )
  .meta({ id: "OllamaMessage" });

const messages = boundedArray(z.array(message, { error: "expected an array of messages" }), {
  max: MAX_MESSAGES,
  of: "messages",
});

const tool = z
  .looseObject(
    {
      type: optional(z.literal("function", { error: 'expected "function"' })),
      function: z.looseObject(
        {
          name: z
            .string({ error: "expected a string" })
            .regex(/^[\w.-]{1,64}$/, { error: "expected 1 to 64 letters, digits, _, . or -" }),
          description: optional(text()),
          parameters: optional(
            z.record(z.string(), z.unknown(), { error: "expected a JSON schema" }),
          ).meta({ description: "JSON schema of the arguments." }),
        },
        { error: "expected an object" },
      ),
    },
    { error: "expected a tool object" },
  )
  .meta({ id: "OllamaTool", description: "A function that the model can call." });

const tools = boundedArray(z.array(tool, { error: "expected an array of tools" }), {
  max: MAX_TOOLS,
  of: "tools",
});

export type OllamaMessage = z.output<typeof message>;
export type OllamaTool = z.output<typeof tool>;
export type OllamaToolCall = z.output<typeof toolCall>;

const MAX_CONTEXT_TOKENS = 1_000_000;

/** Durations in Go's notation, such as `300ms`, `1h30m` and `-1s`, and bare numbers. */
const DURATION = /^[-+]?(?:\d+|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+)$/;
const keepAliveError = 'expected a number of seconds, or a duration such as "5m"';
export const keepAlive = optional(
  z.union([z.number(), z.string().regex(DURATION, { error: keepAliveError })], {
    error: keepAliveError,
  }),
).meta({
  description:
    "How long the model stays loaded after this request. 0: unload it when its requests finish; negative: never unload it. Ignored if the API key lacks the scope `admin`.",
});

const thinkError = 'expected true, false, "low", "medium", "high" or "max"';
const think = z.union([z.boolean(), z.enum(["low", "medium", "high", "max"])], {
  error: thinkError,
});

const format = z.union([z.enum(["json", ""]), z.record(z.string(), z.unknown())], {
  error: 'expected "json" or a JSON schema',
});

export const modelName = optional(nonEmptyText()).meta({
  description: "Name of the model, with or without `:latest`. Default: the first served model.",
});

const generationFields = {
  model: modelName,
  stream: optional(trueOrFalse()).meta({
    description: "Whether to stream the answer as lines of JSON. Default: `true`.",
  }),
  format: optional(format).meta({
    description: "Format of the answer: `json` for any JSON object, or a JSON schema.",
  }),
  think: optional(think).meta({
    description:
      "Whether, or how much, the model thinks, if the chat template supports it. Default: that of the model.",
  }),
  options: optional(options),
  logprobs: optional(trueOrFalse()).meta({
    description: "Whether to report the log-probabilities of the tokens.",
  }),
  top_logprobs: optional(integerBetween(0, 20)).meta({
    description: "Number of most probable tokens to report per token. Requires `logprobs`.",
  }),
  keep_alive: keepAlive,
};

const notAnObject = { error: "expected a JSON object" };

/** Body of `POST /api/chat`. */
export const chatRequest = z
  .looseObject(
    {
      ...generationFields,
      messages: optional(messages).meta({
        description:
          "The conversation. A final assistant message is continued. Without messages, nothing is generated.",
      }),
      tools: optional(tools),
    },
    notAnObject,
  )
  .meta({
    id: "OllamaChatRequest",
    description:
      "Optional fields may be `null`, which counts as absent. Unknown fields are ignored.",
  });

/** Body of `POST /api/generate`. */
export const generateRequest = z
  .looseObject(
    {
      ...generationFields,
      prompt: optional(text()).meta({
        description:
          "A user message, or any text with `raw`. If it is empty, nothing is generated.",
      }),
      system: optional(text()).meta({ description: "System message before the prompt." }),
      suffix: optional(text()).meta({
        description: "Text after the gap to fill, for models trained for it.",
      }),
      raw: optional(trueOrFalse()).meta({
        description:
          "Whether to continue the prompt as it is, without a chat template. Control tokens in the prompt are parsed.",
      }),
      images: optional(images).meta({
        description:
          "Images or audio in base64, placed before the prompt; with `raw`, at the markers `[img-0]`, `[img-1]` and so on.",
      }),
      context: optional(
        boundedArray(z.array(z.number(), { error: "expected an array of tokens" }), {
          max: MAX_CONTEXT_TOKENS,
          of: "tokens",
        }),
      ).meta({ description: "Must be empty. Use `/api/chat` for conversations." }),
      template: optional(text()).meta({
        description: "Must be empty. The model's own template is used.",
      }),
    },
    notAnObject,
  )
  .meta({
    id: "OllamaGenerateRequest",
    description:
      "Optional fields may be `null`, which counts as absent. Unknown fields are ignored.",
  });

export type ChatRequest = z.output<typeof chatRequest>;
export type GenerateRequest = z.output<typeof generateRequest>;
/** Fields that the requests of `/api/chat` and `/api/generate` share. */
export type CommonRequest = Pick<ChatRequest, keyof typeof generationFields>;

const atLeast = (min: number): NoOpValues => ({
  expected: `a number of at least ${min}`,
  accepts: (value) => typeof value === "number" && value >= min,
});
const empty: NoOpValues = {
  expected: "nothing",
  accepts: (value) => value === "" || (Array.isArray(value) && value.length === 0),
};

type UnsupportedParameters = Readonly<Record<string, NoOpValues>>;

/** Known but unsupported fields of a request. */
const unsupportedFields: UnsupportedParameters = {
  template: empty,
  context: empty,
  debug_render_only: only(false),
  // Image generation.
  width: only(0),
  height: only(0),
  steps: only(0),
};

/** Options of a sampler that the engine does not have. */
const unsupportedOptions: UnsupportedParameters = {
  tfs_z: atLeast(1),
};

/**
 * Rejects unsupported parameters instead of silently ignoring them.
 * @throws {GgufdError} `unsupported_parameter`
 */
export function rejectUnsupportedParameters(body: Readonly<Record<string, unknown>>): void {
  reject(body, unsupportedFields, "");
  if (isJsonObject(body.options)) reject(body.options, unsupportedOptions, "options.");
}

function reject(
  object: Readonly<Record<string, unknown>>,
  noOpValues: UnsupportedParameters,
  path: string,
): void {
  for (const [name, { expected, accepts }] of Object.entries(noOpValues)) {
    const value = object[name];
    if (value === undefined || value === null || accepts(value, object)) continue;
    const reason = `expected ${expected}, got ${preview(value)}, which is not supported`;
    throw createRefusal("unsupported_parameter", [{ field: `${path}${name}`, reason }]);
  }
}
