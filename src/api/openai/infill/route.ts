import { randomUUID } from "node:crypto";
import type { FastifyPluginAsync } from "fastify";
import type { RawGenerationRequest } from "../../../core/generation-request.js";
import { callerOf } from "../../../http/caller.js";
import { DATA_EVENTS, sendEventStream } from "../../../http/event-stream.js";
import { parseBody } from "../../../validation/parse-body.js";
import { dropNulls } from "../drop-nulls.js";
import { toErrorEnvelope } from "../error-envelope.js";
import { pickFields } from "../native/response-fields.js";
import {
  type SharedNames,
  toNativeParameters,
  withSharedNames,
  withTokenBiases,
} from "../native/sampling.js";
import type { OpenAiRoutesOptions } from "../route.js";
import { toConstraint } from "../translate-constraint.js";
import { rejectUnsupportedParameters } from "../unsupported-parameters.js";
import { toInfillAnswer, toInfillPieces } from "./answer.js";
import { type InfillRequest, infillRequest } from "./schema.js";

const UNNAMED_FILE = "unnamed";

/** llama-server's streams end with their last piece. */
const FORMAT = { ...DATA_EVENTS, terminator: "" };

/** llama.cpp's endpoint for editors. */
export function infillRoutes({ models, pingAfterMs }: OpenAiRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    app.post("/infill", async (request, reply) => {
      const named = withSharedNames(await parseBody(infillRequest, dropNulls(request.body)));
      rejectUnsupportedParameters(named, ["t_max_predict_ms"]);
      const { alias, generations, texts } = await models.resolve("generation", named.model);
      const body = await withTokenBiases(named, texts);
      const caller = callerOf(request, reply);
      const { events } = await generations.submit(
        toInfillGeneration(body, `infill-${randomUUID()}`),
        caller,
      );
      if (!body.stream) {
        const answer = await toInfillAnswer(events, alias);
        return reply.send(answer && pickFields(answer, body.response_fields));
      }
      await sendEventStream(reply, toInfillPieces(events, alias), {
        format: FORMAT,
        printError: (error) => toErrorEnvelope(error, request.id),
        signal: caller.signal,
        pingAfterMs,
      });
      return reply;
    });
  };
}

type SharedRequest = SharedNames<InfillRequest>;

function toInfillGeneration(body: SharedRequest, id: string): RawGenerationRequest {
  return {
    id,
    prompt: {
      type: "infill",
      prefix: body.input_prefix + (body.prompt ?? ""),
      suffix: body.input_suffix,
      field: longestField(body),
      suffixField: "input_suffix",
      files: (body.input_extra ?? []).map(({ filename, text }) => ({
        name: filename ?? UNNAMED_FILE,
        text,
      })),
    },
    ...toNativeParameters(body),
    constraint: toConstraint(body),
  };
}

/** The field that most of the prompt comes from: what is to be shortened where it does not fit. */
function longestField({
  input_prefix,
  input_suffix,
  input_extra = [],
  prompt = "",
}: SharedRequest): string {
  const lengths = {
    input_prefix: input_prefix.length,
    input_suffix: input_suffix.length,
    input_extra: input_extra.reduce((sum, { text }) => sum + text.length, 0),
    prompt: prompt.length,
  };
  const [longest] = Object.entries(lengths).toSorted(([, a], [, b]) => b - a);
  return longest?.[0] ?? "input_prefix";
}
