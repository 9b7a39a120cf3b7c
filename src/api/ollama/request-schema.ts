import { z } from "zod";
import { boundedArray } from "../../validation/bounded-collections.js";
import { integerBetween, nonEmptyText, text, trueOrFalse } from "../../validation/fields.js";
import { images, messages, tools } from "./message-schema.js";
import { optional } from "./optional-field.js";
import { options } from "./options-schema.js";

const MAX_CONTEXT_TOKENS = 1_000_000;

/** Durations as Go writes them, `300ms`, `1h30m`, `-1s`, and bare numbers. */
const DURATION = /^[-+]?(?:\d+|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+)$/;
const keepAliveError = 'expected a number of seconds, or a duration such as "5m"';
export const keepAlive = z.union(
  [z.number(), z.string().regex(DURATION, { error: keepAliveError })],
  {
    error: keepAliveError,
  },
);

const thinkError = 'expected true, false, "low", "medium", "high" or "max"';
const think = z.union([z.boolean(), z.enum(["low", "medium", "high", "max"])], {
  error: thinkError,
});

const format = z.union([z.enum(["json", ""]), z.record(z.string(), z.unknown())], {
  error: 'expected "json" or a JSON schema',
});

export const modelName = optional(nonEmptyText()).meta({
  description: "The model's name, with or without `:latest`. Default: the served model.",
});

const generationFields = {
  model: modelName,
  stream: optional(trueOrFalse()).meta({
    description: "false: one JSON value. Default: a line for each piece of the answer.",
  }),
  format: optional(format).meta({
    description: "What the answer must be: any JSON object, or JSON that satisfies a schema.",
  }),
  think: optional(think).meta({
    description:
      "Whether, and how much, the model is to think, if its chat template reads it. Default: the model's.",
  }),
  options: optional(options),
  logprobs: optional(trueOrFalse()).meta({
    description: "true: the log-probabilities of the tokens are reported.",
  }),
  top_logprobs: optional(integerBetween(0, 20)).meta({
    description: "With `logprobs`: the number of most probable tokens that are reported for each.",
  }),
  keep_alive: optional(keepAlive).meta({
    description: "Accepted; the model always stays loaded.",
  }),
};

const notAnObject = { error: "expected a JSON object" };

/** The body of `POST /api/chat`. */
export const chatRequest = z
  .looseObject(
    {
      ...generationFields,
      messages: optional(messages).meta({
        description:
          "The conversation. If the last message is the assistant's, it is continued. Without messages nothing is generated.",
      }),
      tools: optional(tools),
    },
    notAnObject,
  )
  .meta({
    id: "OllamaChatRequest",
    description: "null means absent for every optional field. Unknown fields are ignored.",
  });

/** The body of `POST /api/generate`. */
export const generateRequest = z
  .looseObject(
    {
      ...generationFields,
      prompt: optional(text()).meta({
        description:
          "A user's message, or with `raw` any text. If it is empty nothing is generated.",
      }),
      system: optional(text()).meta({ description: "A system message before the prompt." }),
      suffix: optional(text()).meta({
        description: "The text behind a gap that the model fills, if it has been trained to.",
      }),
      raw: optional(trueOrFalse()).meta({
        description:
          "true: the prompt is continued as it is, without a chat template; names of control tokens in it are these tokens.",
      }),
      images: optional(images).meta({ description: "Must be empty." }),
      context: optional(
        boundedArray(z.array(z.number(), { error: "expected an array of tokens" }), {
          max: MAX_CONTEXT_TOKENS,
          of: "tokens",
        }),
      ).meta({ description: "Must be empty: `/api/chat` takes conversations." }),
      template: optional(text()).meta({ description: "Must be empty: the model has its own." }),
    },
    notAnObject,
  )
  .meta({
    id: "OllamaGenerateRequest",
    description: "null means absent for every optional field. Unknown fields are ignored.",
  });

/** The body of `POST /api/show`. */
export const showRequest = z
  .looseObject(
    {
      model: modelName,
      name: modelName.meta({ description: "The older name of `model`.", deprecated: true }),
    },
    notAnObject,
  )
  .meta({ id: "OllamaShowRequest" });

export type ChatRequest = z.output<typeof chatRequest>;
export type GenerateRequest = z.output<typeof generateRequest>;
/** What requests for an answer have in common. */
export type CommonRequest = Pick<ChatRequest, keyof typeof generationFields>;
