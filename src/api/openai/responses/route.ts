import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../../core/caller.js";
import type { GgufdError } from "../../../core/errors.js";
import type { ModelDirectory } from "../../../core/model-directory.js";
import { callerOf } from "../../../http/caller.js";
import { disconnectSignal } from "../../../http/disconnect-signal.js";
import { logServerError } from "../../../http/error-handler.js";
import { NAMED_EVENTS, sendEventStream } from "../../../http/event-stream.js";
import { holdPlace } from "../../../http/keys/hold-place.js";
import { abortAtTimeLimit } from "../../../http/time-limit.js";
import { parseBody } from "../../../validation/parse-body.js";
import { parseInput } from "../../../validation/parse-input.js";
import { dropNulls } from "../drop-nulls.js";
import { toResponse, toResponseEvents } from "./answer.js";
import { COMPACT_PATH, noCompaction } from "./compaction.js";
import { conversationRoutes } from "./conversation-route.js";
import { toErrorEvent } from "./error-event.js";
import { EventLog } from "./event-log.js";
import { itemListQuery, responseQuery } from "./list-query.js";
import { hostedTypesOf } from "./offered-tools.js";
import { ownerOf } from "./owner.js";
import type { InputTokenCount, ItemList, ResponseObject } from "./response-schema.js";
import { ResponseStores } from "./response-store.js";
import { OwnedResponses } from "./responses.js";
import { type ResponseRequest, responseRequest } from "./schema.js";
import { submitTruncated } from "./truncation.js";
import { type HostedToolPolicy, rejectUnsupportedParameters } from "./unsupported-parameters.js";

export interface ResponseRoutesOptions {
  readonly models: ModelDirectory;
  /** Idle time of a stream after which a comment is sent as a keep-alive, in milliseconds. */
  readonly pingAfterMs: number;
  /** What becomes of tools that do not run here. */
  readonly hostedTools: HostedToolPolicy;
}

interface ResponsePath {
  Params: { id: string };
}

/** OpenAI's Responses API: `/v1/responses`, `/v1/conversations` and what is below. */
export function responseRoutes({
  models,
  pingAfterMs,
  hostedTools,
}: ResponseRoutesOptions): FastifyPluginAsync {
  const stores = new ResponseStores();
  const owned = new OwnedResponses(stores);
  const responsesOf = (request: FastifyRequest) => owned.of(ownerOf(request));
  const parse = async ({ body, log }: FastifyRequest): Promise<ResponseRequest> => {
    const parsed = await parseBody(responseRequest, dropNulls(body));
    rejectUnsupportedParameters(parsed, hostedTools);
    const leftOut = hostedTypesOf(parsed.tools);
    if (leftOut.length > 0) {
      log.warn({ tools: leftOut }, "tools that do not run here are left out of the prompt");
    }
    return parsed;
  };
  return async (app) => {
    app.addHook("preClose", async () => owned.endAll());
    app.register(conversationRoutes(stores));

    app.post("/v1/responses", async (request, reply) => {
      const body = await parse(request);
      const served = await models.resolve("generation", body.model);
      const responses = responsesOf(request);
      const begun = responses.prepare(body, served.alias);
      const { printer, prompt } = begun;
      const submit = (caller: Caller) =>
        body.truncation === "auto"
          ? submitTruncated(served, prompt, caller)
          : served.generations.submit(prompt.without(0), caller);
      const onFailed = (error: GgufdError) => logServerError(error, request);
      if (body.background) {
        const controller = new AbortController();
        abortAtTimeLimit(controller, reply);
        const onOver = holdPlace(request);
        const submitted = submit({
          ...callerOf(request, reply),
          signal: controller.signal,
          // Its answer is kept here: nobody's connection has a part of it.
          cutAnswer: () => "resumed",
        });
        submitted.catch(onOver);
        const { events } = await submitted;
        const log = body.stream ? new EventLog() : undefined;
        responses.follow({ ...begun, events, controller, log, onFailed, onOver });
        return log === undefined ? printer.response : sendLog(reply, log, 0);
      }
      const caller = callerOf(request, reply);
      const { events } = await submit(caller);
      const hooks = { onEnded: () => responses.keep(begun), onFailed };
      if (!body.stream) return reply.send(await toResponse(events, printer, hooks));
      await sendEventStream(reply, toResponseEvents(events, printer, hooks), {
        format: NAMED_EVENTS,
        printError: (error) => toErrorEvent(error, printer.nextNumber),
        signal: caller.signal,
        pingAfterMs,
      });
      return reply;
    });

    app.post("/v1/responses/input_tokens", async (request, reply): Promise<InputTokenCount> => {
      const body = await parse(request);
      const { generations } = await models.resolve("generation", body.model);
      const tokens = await generations.countTokens(
        responsesOf(request).toCounted(body),
        callerOf(request, reply),
      );
      return { object: "response.input_tokens", input_tokens: tokens };
    });

    const refuse = async () => {
      throw noCompaction();
    };
    // Before the body is read: what is in it makes no difference.
    app.route({ method: "POST", url: COMPACT_PATH, onRequest: refuse, handler: refuse });

    app.get<ResponsePath>("/v1/responses/:id", async (request, reply) => {
      const { id } = request.params;
      const { stream, starting_after: after = -1 } = parseInput(responseQuery, request.query, {
        code: "invalid_request",
        inputName: "query",
      });
      return stream
        ? sendLog(reply, responsesOf(request).logOf(id), after + 1)
        : responsesOf(request).find(id).response;
    });

    app.delete<ResponsePath>("/v1/responses/:id", async (request) => {
      const { id } = request.params;
      responsesOf(request).delete(id);
      return { id, object: "response", deleted: true };
    });

    app.post<ResponsePath>(
      "/v1/responses/:id/cancel",
      (request): Promise<ResponseObject> => responsesOf(request).cancel(request.params.id),
    );

    app.get<ResponsePath>("/v1/responses/:id/input_items", async (request): Promise<ItemList> => {
      const page = parseInput(itemListQuery, request.query, {
        code: "invalid_request",
        inputName: "query",
      });
      return responsesOf(request).inputItems(request.params.id, page);
    });
  };

  async function sendLog(reply: FastifyReply, log: EventLog, from: number): Promise<FastifyReply> {
    const signal = disconnectSignal(reply);
    await sendEventStream(reply, log.read(from, signal), {
      format: NAMED_EVENTS,
      printError: (error) => toErrorEvent(error, log.length),
      signal,
      pingAfterMs,
    });
    return reply;
  }
}
