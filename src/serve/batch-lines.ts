import type { FastifyInstance } from "fastify";
import type { AnswerLine } from "../batches/batch-runner.js";
import type { LineAnswer } from "../batches/retry-policy.js";
import { answerBatchLine, type BatchLineAnswer } from "../http/inner-request.js";
import { findMemberText } from "../http/member-texts.js";

const JSON_TYPE = "application/json";

/** Answers lines of batches through the routes of an application. */
export function answerLinesOf(app: FastifyInstance): AnswerLine {
  return async ({ batchId, owner, line, signal }) => {
    try {
      const { path, body } = readRequest(line);
      const answer = await answerBatchLine(app, { batchId, path, body, signal, keyName: owner });
      return answer && toLineAnswer(answer);
    } catch (error) {
      app.log.error({ err: error }, "a line of a batch could not be answered");
      return FAILURE;
    }
  };
}

const FAILURE: LineAnswer = {
  status: 500,
  requestId: "",
  body: '{"error":{"message":"The server failed to answer this request.","type":"server_error","param":null,"code":"internal_error"}}',
};

/** Reads the request of a valid line. Its body keeps its source text. */
function readRequest(line: string): { readonly path: string; readonly body: string } {
  const value = JSON.parse(line) as { readonly url: string; readonly body: object };
  const text = findMemberText(value, line, "body");
  return { path: value.url, body: text ?? JSON.stringify(value.body) };
}

function toLineAnswer({ status, headers, contentType, payload }: BatchLineAnswer): LineAnswer {
  const retryAfter = Number(headers["retry-after"]);
  return {
    status,
    requestId: String(headers["x-request-id"]),
    body: contentType.startsWith(JSON_TYPE) ? payload : JSON.stringify(payload),
    ...(retryAfter > 0 && { retryAfterSeconds: retryAfter }),
    ...(headers["x-should-retry"] === "false" && { isFinal: true }),
  };
}
