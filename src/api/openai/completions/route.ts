import { randomUUID } from "node:crypto";
import type { FastifyPluginAsync } from "fastify";
import { callerOf } from "../../../http/caller.js";
import { DATA_EVENTS, sendEventStream } from "../../../http/event-stream.js";
import { parseBody } from "../../../validation/parse-body.js";
import { identityOf } from "../completion-identity.js";
import { dropNulls } from "../drop-nulls.js";
import { toErrorEnvelope } from "../error-envelope.js";
import type { OpenAiRoutesOptions } from "../route.js";
import { usageReporting } from "../stream-options-schema.js";
import { rejectUnsupportedParameters } from "../unsupported-parameters.js";
import { toTextCompletion } from "./completion.js";
import { echoesOf } from "./echoes.js";
import { textCompletionRequest } from "./schema.js";
import { toTextChunks } from "./stream.js";
import { toCompletionPlan } from "./translate.js";

/** OpenAI's older endpoint, `/v1/completions`. */
export function textCompletionRoutes({
  models,
  pingAfterMs,
}: OpenAiRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    app.post("/v1/completions", async (request, reply) => {
      const body = await parseBody(textCompletionRequest, dropNulls(request.body));
      rejectUnsupportedParameters(body, ["best_of", "echo"]);
      const served = await models.resolve("generation", body.model);
      const identity = identityOf(served, `cmpl-${randomUUID()}`);
      const plan = toCompletionPlan(body, identity.id);
      const caller = callerOf(request, reply);
      const { events } = await served.generations.submitAll(plan.requests, caller);
      const echoes = await echoesOf(plan, served.texts);
      if (!body.stream) return reply.send(await toTextCompletion(events, identity, plan, echoes));
      const chunks = toTextChunks(events, identity, plan, echoes, usageReporting(body));
      await sendEventStream(reply, chunks, {
        format: DATA_EVENTS,
        printError: (error) => toErrorEnvelope(error, request.id),
        signal: caller.signal,
        pingAfterMs,
      });
      return reply;
    });
  };
}
