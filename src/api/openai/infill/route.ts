import { randomUUID } from "node:crypto";
import type { FastifyPluginAsync } from "fastify";
import type { RawGenerationRequest } from "../../../core/generation-request.js";
import { disconnectSignal } from "../../../http/disconnect-signal.js";
import { DATA_EVENTS, sendEventStream } from "../../../http/event-stream.js";
import { parseBody } from "../../../validation/parse-body.js";
import { dropNulls } from "../drop-nulls.js";
import { toErrorEnvelope } from "../error-envelope.js";
import type { OpenAiRoutesOptions } from "../route.js";
import { toConstraint } from "../translate-constraint.js";
import { toSampling, toStopping } from "../translate-sampling.js";
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
      const body = withoutInfillSampler(parseBody(infillRequest, dropNulls(request.body)));
      rejectUnsupportedParameters(body, ["t_max_predict_ms"]);
      const { alias, generations } = models.resolve(body.model);
      const signal = disconnectSignal(reply);
      const { events } = await generations.submit(
        toInfillGeneration(body, `infill-${randomUUID()}`),
        signal,
      );
      if (!body.stream) return reply.send(await toInfillAnswer(events, alias));
      await sendEventStream(reply, toInfillPieces(events, alias), {
        format: FORMAT,
        printError: (error) => toErrorEnvelope(error, request.id),
        signal,
        pingAfterMs,
      });
      return reply;
    });
  };
}

/**
 * Editors name llama.cpp's sampler for gaps behind the others. It joins tokens that begin alike, which
 * makes endings likelier; gaps are filled without it.
 */
function withoutInfillSampler(body: InfillRequest): InfillRequest {
  if (!Array.isArray(body.samplers)) return body;
  return { ...body, samplers: body.samplers.filter((name) => name !== "infill") };
}

function toInfillGeneration(body: InfillRequest, id: string): RawGenerationRequest {
  return {
    id,
    prompt: {
      type: "infill",
      prefix: body.input_prefix + (body.prompt ?? ""),
      suffix: body.input_suffix,
      suffixField: "input_suffix",
      files: (body.input_extra ?? []).map(({ filename, text }) => ({
        name: filename ?? UNNAMED_FILE,
        text,
      })),
    },
    sampling: toSampling(body),
    stopping: toStopping(body),
    constraint: toConstraint(body),
  };
}
