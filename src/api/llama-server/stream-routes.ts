import { access } from "../../core/api-keys.js";
import { MAX_CONVERSATION_ID_CHARACTERS } from "../../core/conversation-id.js";
import { createRefusal } from "../../core/errors.js";
import { DATA_EVENTS } from "../../http/event-stream.js";
import { sendBuffer, streamOwnerOf } from "../../http/resumable-answer.js";
import { createStreamNotFoundError } from "../../http/resumable-streams.js";
import { parseBody } from "../../validation/parse-body.js";
import { parseInput } from "../../validation/parse-input.js";
import type { AnswerContext, DescribedRoute } from "../description/described-route.js";
import { jsonBody } from "../description/request-body.js";
import { jsonResponse, response } from "../description/responses.js";
import { examplePiece } from "./examples.js";
import { foundStreams, readQuery, streamLookup, streamQuery, toFoundStream } from "./streams.js";

const invalidId = createRefusal("invalid_request", [
  {
    field: "conv_id",
    reason: `expected the X-Conversation-Id of a request, of 1 to ${MAX_CONVERSATION_ID_CHARACTERS} characters, got ""`,
  },
]);

const readRoute: DescribedRoute<AnswerContext> = {
  method: "GET",
  path: "/v1/stream",
  access: access.inference,
  description: {
    operationId: "readStream",
    summary: "Read the stream of a conversation (llama-server)",
    description: `Sends the bytes of a stream that was requested with \`X-Conversation-Id\`, from an offset on, and continues until the answer
ends. A stream is kept for five minutes after its end; of a long one, the last 4 MiB are kept.`,
    requestParams: { query: readQuery },
    responses: {
      200: response({
        description: "The server-sent events of the answer, in the format of its route.",
        content: {
          "text/event-stream": {
            schema: { type: "object", additionalProperties: true },
            example: examplePiece,
          },
        },
      }),
    },
    errors: [invalidId, createStreamNotFoundError("chat-1")],
  },
  async handle({ streams }, request, reply) {
    const { conv_id: id, from } = parseInput(readQuery, request.query, {
      code: "invalid_request",
      inputName: "query",
    });
    const { buffer } = streams.find(streamOwnerOf(request), id);
    buffer.expectOffset(from);
    if (request.method === "HEAD") return reply.type(DATA_EVENTS.contentType).send();
    await sendBuffer(reply, buffer, { from, format: DATA_EVENTS });
    return reply;
  },
};

const stopRoute: DescribedRoute<AnswerContext> = {
  method: "DELETE",
  path: "/v1/stream",
  access: access.inference,
  description: {
    operationId: "stopStream",
    summary: "Stop the stream of a conversation (llama-server)",
    description:
      "Ends the answer and removes its stream. Succeeds too if the conversation has no stream.",
    requestParams: { query: streamQuery },
    responses: { 204: response({ description: "The conversation has no stream any more." }) },
    errors: [invalidId],
  },
  async handle({ streams }, request, reply) {
    const { conv_id: id } = parseInput(streamQuery, request.query, {
      code: "invalid_request",
      inputName: "query",
    });
    streams.stop(streamOwnerOf(request), id);
    return reply.code(204).send();
  },
};

const lookupRoute: DescribedRoute<AnswerContext> = {
  method: "POST",
  path: "/v1/streams/lookup",
  access: access.inference,
  description: {
    operationId: "lookUpStreams",
    summary: "Find the streams of conversations (llama-server)",
    requestBody: jsonBody(streamLookup, { conversation_ids: ["chat-1"] }),
    responses: {
      200: jsonResponse({
        description: "The streams of these conversations.",
        schema: foundStreams,
        example: [
          {
            conversation_id: "chat-1",
            is_done: false,
            total_bytes: 5120,
            started_at: 1_770_000_000,
            completed_at: 0,
          },
        ],
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        { field: "conversation_ids", reason: 'expected a list of conversation ids, got "chat-1"' },
      ]),
    ],
  },
  async handle({ streams }, request) {
    const { conversation_ids: ids } = await parseBody(streamLookup, request.body);
    const owner = streamOwnerOf(request);
    return ids.flatMap((id) => streams.lookup(owner, id)).map(toFoundStream);
  },
};

/** llama-server's routes of streams that continue without their client. */
export const streamRoutes: readonly DescribedRoute<AnswerContext>[] = [
  readRoute,
  stopRoute,
  lookupRoute,
];
