import { z } from "zod";
import { MAX_MESSAGES } from "../../core/prompt-size.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import {
  integerBetween,
  nonEmptyText,
  numberBetween,
  oneOf,
  trueOrFalse,
} from "../../validation/fields.js";
import { message, textContent } from "./content-schema.js";
import { toolFields } from "./tool-schema.js";

const UNBOUNDED = Number.POSITIVE_INFINITY;

/** Bounds of collections: far above what clients send, and validated within milliseconds. */
const MAX_STOP_SEQUENCES = 100;

/** As Anthropic defines them. */
const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

const display = oneOf(["summarized", "omitted"]).nullish().meta({
  description: "omitted: thinking blocks come without their text. Default: with it.",
});

const thinking = z
  .discriminatedUnion(
    "type",
    [
      z.looseObject({
        type: z.literal("enabled"),
        budget_tokens: integerBetween(0, UNBOUNDED).meta({
          description: "Maximum number of tokens of thinking, which is closed then.",
        }),
        display,
      }),
      z.looseObject({ type: z.literal("adaptive"), display }),
      z.looseObject({ type: z.literal("disabled") }),
    ],
    {
      error: ({ input }) =>
        typeof input === "object" && input !== null
          ? "expected one of enabled, adaptive, disabled"
          : 'expected an object such as {"type":"disabled"}',
    },
  )
  .meta({
    id: "MessagesThinking",
    description: "How the model is to think. Absent: not, if its chat template has a switch.",
  });

const outputFormat = z
  .looseObject(
    {
      type: oneOf(["json_schema"]),
      schema: z.record(z.string(), z.unknown(), { error: "expected a JSON schema" }),
    },
    { error: "expected an object with a schema" },
  )
  .meta({ id: "MessagesOutputFormat", description: "A JSON schema, which is held exactly." });

/** What decides the prompt. */
const promptFields = {
  model: nonEmptyText()
    .nullish()
    .meta({ description: "The model's name. Default: the served model." }),
  messages: boundedArray(
    z
      .array(message, { error: "expected an array of messages" })
      .min(1, { error: "expected at least one message" })
      .meta({
        description:
          "The conversation. Messages of one role in a row are one. If the last message is the assistant's, it is continued.",
      }),
    { max: MAX_MESSAGES, of: "messages" },
  ),
  system: textContent.nullish(),
  thinking: thinking.nullish(),
  output_config: z
    .looseObject(
      {
        effort: oneOf(EFFORTS).nullish().meta({
          description: "How much the model is to think, if its chat template reads it.",
        }),
        format: outputFormat.nullish(),
      },
      { error: "expected an object" },
    )
    .nullish(),
  ...toolFields,
};

const DESCRIPTION = "null means absent for every optional field. Unknown fields are ignored.";

/** The body of `POST /v1/messages`. */
export const messagesRequest = z
  .looseObject(
    {
      ...promptFields,
      max_tokens: integerBetween(1, UNBOUNDED).meta({
        description: "Maximum number of tokens to generate; fewer if the context ends.",
      }),
      stop_sequences: boundedArray(
        z.array(nonEmptyText(), { error: "expected an array of strings" }),
        { max: MAX_STOP_SEQUENCES, of: "stop sequences" },
      )
        .nullish()
        .meta({ description: "Texts that end the message and are not part of it." }),
      temperature: numberBetween(0, 2).nullish().meta({ description: "0: greedy sampling." }),
      top_p: numberBetween(0, 1).nullish(),
      top_k: integerBetween(0, UNBOUNDED).nullish().meta({ description: "0: no limit." }),
      output_format: outputFormat
        .nullish()
        .meta({ description: "The older place of `output_config.format`.", deprecated: true }),
      stream: trueOrFalse().nullish().meta({ description: "true: server-sent events." }),
    },
    { error: "expected a JSON object" },
  )
  .meta({ id: "MessagesRequest", description: DESCRIPTION });

/** The body of `POST /v1/messages/count_tokens`. */
export const countTokensRequest = z
  .looseObject(promptFields, { error: "expected a JSON object" })
  .meta({ id: "CountTokensRequest", description: DESCRIPTION });

export type MessagesRequest = z.output<typeof messagesRequest>;
export type CountTokensRequest = z.output<typeof countTokensRequest>;
