import { randomUUID } from "node:crypto";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { ModelDirectory } from "../../core/model-directory.js";
import { printWritten } from "../../core/written-json.js";
import { callerOf } from "../../http/caller.js";
import { answerUnknownPaths, printErrorsAs } from "../../http/error-handler.js";
import { NAMED_EVENTS, type StreamFormat, sendEventStream } from "../../http/event-stream.js";
import { readJsonBodies } from "../../http/json-body.js";
import { parseBody } from "../../validation/parse-body.js";
import { collectBlocks } from "./collect-blocks.js";
import { MESSAGES_PATH, messagesStatusOf, toMessagesError } from "./error-envelope.js";
import { type MessageIdentity, toMessage } from "./message.js";
import type { MessageTokensCount } from "./response-schema.js";
import { countTokensRequest, messagesRequest } from "./schema.js";
import { rejectServerSideFeatures } from "./server-side-features.js";
import { toMessageEvents } from "./stream.js";
import { thinkingDisplayOf } from "./thinking.js";
import { toCountedRequest, toGenerationRequest } from "./translate.js";

export interface AnthropicRoutesOptions {
  readonly models: ModelDirectory;
  /** Idle time of a stream after which a ping is sent, in milliseconds. */
  readonly pingAfterMs: number;
}

const FORMAT: StreamFormat = {
  ...NAMED_EVENTS,
  ping: 'event: ping\ndata: {"type":"ping"}\n\n',
};

/** Anthropic's endpoints: `/v1/messages` and `/v1/messages/count_tokens`. */
export function anthropicRoutes(options: AnthropicRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    await app.register(routesBelowPrefix(options), { prefix: MESSAGES_PATH });
  };
}

function routesBelowPrefix({ models, pingAfterMs }: AnthropicRoutesOptions): FastifyPluginAsync {
  return async (scope) => {
    printErrorsAs(scope, toMessagesError, messagesStatusOf);
    answerUnknownPaths(scope);
    readJsonBodies(scope, { written: ["input"] });
    // Not when the request comes: one without a key is answered before this scope is reached.
    scope.addHook("onSend", async (request, reply) => addRequestId(request, reply));

    scope.post("", async (request, reply) => {
      rejectServerSideFeatures(request.body);
      const body = await parseBody(messagesRequest, request.body);
      const served = await models.resolve("generation", body.model ?? undefined);
      const identity: MessageIdentity = {
        id: newMessageId(),
        model: served.alias,
        thinking: thinkingDisplayOf(body),
      };
      const caller = callerOf(request, reply);
      const generationRequest = toGenerationRequest(body, identity.id);
      const { events } = await served.generations.submit(generationRequest, caller);
      if (!body.stream) {
        const collected = await collectBlocks(events);
        reply.type("application/json; charset=utf-8");
        return reply.send(collected && printWritten(toMessage(collected, identity)));
      }
      // A stream has no hooks.
      addRequestId(request, reply);
      await sendEventStream(reply, toMessageEvents(events, identity), {
        format: FORMAT,
        printError: (error) => toMessagesError(error, request.id),
        signal: caller.signal,
        pingAfterMs,
      });
      return reply;
    });

    scope.post("/count_tokens", async (request, reply): Promise<MessageTokensCount> => {
      rejectServerSideFeatures(request.body);
      const body = await parseBody(countTokensRequest, request.body);
      const { generations } = await models.resolve("generation", body.model ?? undefined);
      const counted = toCountedRequest(body, newMessageId());
      return { input_tokens: await generations.countTokens(counted, callerOf(request, reply)) };
    });
  };
}

function addRequestId(request: FastifyRequest, reply: FastifyReply): void {
  reply.header("request-id", request.id);
}

function newMessageId(): string {
  return `msg_${randomUUID().replaceAll("-", "")}`;
}
