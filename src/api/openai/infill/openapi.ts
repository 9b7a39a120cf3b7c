import { z } from "zod";
import { GgufdError } from "../../../core/errors.js";
import type { ApiPart } from "../../description/part.js";
import { errorResponses, JSON_TYPE, response } from "../../description/responses.js";
import { optionalApiKey } from "../../description/security.js";
import { generationErrors, inferenceTag, openAiErrorFormat } from "../openapi.js";
import { openAiError } from "../response-schema.js";
import { infillAnswer, infillPiece, infillRequest } from "./schema.js";

const infillEvent = z.union([infillPiece, infillAnswer, openAiError]).meta({ id: "InfillEvent" });

const exampleRequest: z.input<typeof infillRequest> = {
  input_prefix: "def twice(x):\n    return ",
  input_suffix: "\n",
  n_predict: 16,
};

const exampleAnswer: z.input<typeof infillAnswer> = {
  index: 0,
  content: "2 * x",
  tokens_predicted: 4,
  tokens_evaluated: 14,
  stop: true,
  model: "ggufd-mini",
  stop_type: "eos",
  stopping_word: "",
  has_new_line: false,
  truncated: false,
  tokens_cached: 0,
  timings: {
    cache_n: 0,
    prompt_n: 14,
    prompt_ms: 8.1,
    predicted_n: 4,
    predicted_ms: 5.2,
    prompt_per_second: 1728.4,
    predicted_per_second: 576.9,
  },
};

const examplePiece: z.input<typeof infillPiece> = {
  index: 0,
  content: "2",
  tokens_predicted: 1,
  tokens_evaluated: 14,
  stop: false,
};

/** llama.cpp's endpoint for editors. */
export const infillPart: ApiPart = {
  tags: [],
  paths: {
    "/infill": {
      post: {
        operationId: "infill",
        summary: "Fill a gap",
        description: `Fills the gap between two texts, as llama.cpp's plugins for editors ask for it, where the model has tokens for that. The answer has
llama-server's fields that these plugins read. \`t_max_predict_ms\` and \`t_max_prompt_ms\` are ignored. Streams are server-sent events;
the last one has \`stop: true\`.`,
        tags: [inferenceTag],
        security: optionalApiKey,
        requestBody: {
          required: true,
          content: { [JSON_TYPE]: { schema: infillRequest, example: exampleRequest } },
        },
        responses: {
          200: response({
            description: "What fills the gap.",
            content: {
              [JSON_TYPE]: { schema: infillAnswer, example: exampleAnswer },
              "text/event-stream": { schema: infillEvent, example: examplePiece },
            },
          }),
          ...errorResponses(openAiErrorFormat, [
            ...generationErrors,
            new GgufdError(
              "context_length_exceeded",
              "This model's maximum context length is 2048 tokens, the prompt has 3000.",
              { param: "prompt" },
            ),
          ]),
        },
      },
    },
  },
};
