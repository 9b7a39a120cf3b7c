import { z } from "zod";
import { MAX_MESSAGES } from "../../core/prompt-size.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, oneOf, text } from "../../validation/fields.js";
import { uncopied } from "../../validation/uncopied.js";
import { optional } from "./optional-field.js";

/** Bounds of collections: far above what clients send, and validated within milliseconds. */
const MAX_TOOL_CALLS = 1_000;
const MAX_TOOLS = 1_000;
const MAX_IMAGES = 1_000;

/** Images are refused one by one, so that the error names the path of the first. */
export const images = boundedArray(
  z.array(z.never({ error: "expected no image, because this model reads text only" }), {
    error: "expected an array",
  }),
  { max: MAX_IMAGES, of: "images" },
);

const toolCall = z
  .looseObject(
    {
      id: optional(text()),
      function: z.looseObject(
        {
          name: nonEmptyText(),
          arguments: optional(
            uncopied(
              z.record(z.string(), z.unknown(), { error: "expected an object of arguments" }),
            ),
          ),
        },
        { error: "expected an object" },
      ),
    },
    { error: "expected a tool call object" },
  )
  .meta({ id: "OllamaRequestToolCall", description: "A call that the assistant made earlier." });

const message = z
  .looseObject(
    {
      role: oneOf(["system", "user", "assistant", "tool"]),
      content: optional(text()),
      thinking: optional(text()).meta({ description: "An earlier answer's reasoning." }),
      images: optional(images).meta({ description: "Must be empty." }),
      tool_calls: optional(
        boundedArray(z.array(toolCall, { error: "expected an array of tool calls" }), {
          max: MAX_TOOL_CALLS,
          of: "tool calls",
        }),
      ),
      tool_name: optional(text()).meta({ description: "The tool that a result comes from." }),
      tool_call_id: optional(text()).meta({
        description:
          "The call that a result answers. Default: the first open one, of `tool_name` if there is one.",
      }),
    },
    { error: "expected a message object" },
  )
  .meta({ id: "OllamaMessage" });

/** A conversation. */
export const messages = boundedArray(z.array(message, { error: "expected an array of messages" }), {
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
          ).meta({ description: "The JSON schema of the arguments." }),
        },
        { error: "expected an object" },
      ),
    },
    { error: "expected a tool object" },
  )
  .meta({ id: "OllamaTool", description: "A function that the model may call." });

/** The tools of a conversation. */
export const tools = boundedArray(z.array(tool, { error: "expected an array of tools" }), {
  max: MAX_TOOLS,
  of: "tools",
});

export type OllamaMessage = z.output<typeof message>;
export type OllamaTool = z.output<typeof tool>;
export type OllamaToolCall = z.output<typeof toolCall>;
