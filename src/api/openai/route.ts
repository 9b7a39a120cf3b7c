import { randomUUID } from "node:crypto";
import type { FastifyPluginAsync } from "fastify";
import type { ModelDirectory } from "../../core/model-directory.js";
import { callerOf } from "../../http/caller.js";
import { DATA_EVENTS, sendEventStream } from "../../http/event-stream.js";
import { parseBody } from "../../validation/parse-body.js";
import { parseInput } from "../../validation/parse-input.js";
import { callReportingOf } from "./call-reporting.js";
import { toCompletion } from "./completion.js";
import { identityOf } from "./completion-identity.js";
import { dropNulls } from "./drop-nulls.js";
import { toErrorEnvelope } from "./error-envelope.js";
import { toModel, toModelList } from "./models.js";
import { modelListQuery } from "./models-schema.js";
import { chatCompletionRequest } from "./schema.js";
import { toChunks } from "./stream.js";
import { usageReporting } from "./stream-options-schema.js";
import { toGenerationRequest } from "./translate.js";
import { rejectUnsupportedParameters } from "./unsupported-parameters.js";

export interface OpenAiRoutesOptions {
  readonly models: ModelDirectory;
  /** Idle time of a stream after which a comment is sent as a keep-alive, in milliseconds. */
  readonly pingAfterMs: number;
}

/** OpenAI's endpoints: `/v1/chat/completions` and `/v1/models`, and llama-server's count of a chat's tokens. */
export function openAiRoutes({ models, pingAfterMs }: OpenAiRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    app.post("/v1/chat/completions", async (request, reply) => {
      const body = await parseBody(chatCompletionRequest, dropNulls(request.body));
      rejectUnsupportedParameters(body);
      const served = await models.resolve("generation", body.model);
      const identity = identityOf(served, `chatcmpl-${randomUUID()}`);
      const caller = callerOf(request, reply);
      const { events } = await served.generations.submit(
        toGenerationRequest(body, identity.id),
        caller,
      );
      const calls = callReportingOf(body);
      if (!body.stream) return reply.send(await toCompletion(events, identity, calls));
      const fields = { calls, usage: usageReporting(body) };
      await sendEventStream(reply, toChunks(events, identity, fields), {
        format: DATA_EVENTS,
        printError: (error) => toErrorEnvelope(error, request.id),
        signal: caller.signal,
        pingAfterMs,
      });
      return reply;
    });

    app.post("/v1/chat/completions/input_tokens", async (request, reply) => {
      const body = await parseBody(chatCompletionRequest, dropNulls(request.body));
      rejectUnsupportedParameters(body);
      const { generations } = await models.resolve("generation", body.model);
      const counted = toGenerationRequest(body, `tokens-${randomUUID()}`);
      const tokens = await generations.countTokens(counted, callerOf(request, reply));
      return { object: "response.input_tokens", input_tokens: tokens };
    });

    app.get("/v1/models", async ({ query }) => {
      const page = parseInput(modelListQuery, query, {
        code: "invalid_request",
        inputName: "query",
      });
      return toModelList(models.list(), page);
    });

    app.get<{ Params: { id: string } }>("/v1/models/:id", async ({ params }) =>
      toModel(await models.find(params.id)),
    );
  };
}
