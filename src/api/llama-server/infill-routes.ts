import { randomUUID } from "node:crypto";
import { z } from "zod";
import { access } from "../../core/api-keys.js";
import type { Caller } from "../../core/caller.js";
import { buildCaller } from "../../http/caller.js";
import { DATA_EVENTS } from "../../http/event-stream.js";
import { openAnswerStream } from "../../http/resumable-answer.js";
import { parseBody } from "../../validation/parse-body.js";
import { createLoadingReporter } from "../answers/loading-reporter.js";
import { resumableParams } from "../description/conversation-header.js";
import type { AnswerContext, DescribedRoute } from "../description/described-route.js";
import { jsonBody } from "../description/request-body.js";
import { JSON_TYPE, response } from "../description/responses.js";
import { generationErrors, promptLengthError } from "../fields/described-errors.js";
import { openAiError, toErrorEnvelope } from "../fields/error-envelope.js";
import { selectGenerations } from "../fields/lora.js";
import { dropNulls } from "../fields/nulls.js";
import { rejectUnsupportedParameters } from "../fields/unsupported-parameters.js";
import { pickFields } from "./answer.js";
import { exampleInfill, exampleInfillAnswer, exampleInfillPiece } from "./examples.js";
import {
  infillAnswer,
  infillPiece,
  infillRequest,
  toInfillAnswer,
  toInfillGeneration,
  toInfillPieces,
} from "./infill.js";
import { withSharedNames, withTokenBiases } from "./parameters.js";

/** llama-server's streams end with their last piece, without a terminator. */
const FORMAT = { ...DATA_EVENTS, terminator: "" };

const infillEvent = z.union([infillPiece, infillAnswer, openAiError]).meta({ id: "InfillEvent" });

/** llama.cpp's infill endpoint for editors. */
export const infillRoute: DescribedRoute<AnswerContext> = {
  method: "POST",
  path: "/infill",
  access: access.answer,
  cost: "expensive",
  operation: "text_completion",
  description: {
    operationId: "infill",
    summary: "Fill in the middle (llama-server)",
    description: `Fills the gap between two texts, for llama.cpp's editor plugins. The model must have fill-in-the-middle tokens. The
answer has the fields of llama-server that these plugins read. \`t_max_predict_ms\` and \`t_max_prompt_ms\` are ignored. Streams are
server-sent events; the last one has \`stop: true\`.`,
    requestParams: resumableParams,
    requestBody: jsonBody(infillRequest, exampleInfill),
    responses: {
      200: response({
        description: "The text that fills the gap.",
        content: {
          [JSON_TYPE]: { schema: infillAnswer, example: exampleInfillAnswer },
          "text/event-stream": { schema: infillEvent, example: exampleInfillPiece },
        },
      }),
    },
    errors: [...generationErrors, promptLengthError],
  },
  async handle({ models, pingAfterMs, streams }, request, reply) {
    const normalisedBody = withSharedNames(await parseBody(infillRequest, dropNulls(request.body)));
    rejectUnsupportedParameters(normalisedBody, ["t_max_predict_ms"]);
    const begin = async (caller: Caller) => {
      const served = await models.resolve("generation", normalisedBody.model, caller);
      const body = await withTokenBiases(normalisedBody, served.texts);
      const { events } = await selectGenerations(body, served).submit(
        [toInfillGeneration(body, `infill-${randomUUID()}`)],
        caller,
      );
      return [events, served] as const;
    };
    if (!normalisedBody.stream) {
      const answer = await toInfillAnswer(...(await begin(buildCaller(request, reply))));
      return reply.send(answer && pickFields(answer, normalisedBody.response_fields));
    }
    const stream = openAnswerStream(request, reply, streams);
    const pieces = begin(stream.caller).then((begun) => toInfillPieces(...begun));
    return stream.send(pieces, {
      format: FORMAT,
      printError: (error) => toErrorEnvelope(error, request.id),
      pingAfterMs,
      describeWait: createLoadingReporter(models, normalisedBody.model),
    });
  },
};
