import { expect, it } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import { buildAccessLine } from "../../src/telemetry/access-log.js";
import type { RequestRecord } from "../../src/telemetry/request-record.js";
import {
  chatRequest,
  event,
  finished,
  followedRequest,
  requestEnd,
  running,
  text,
  waiting,
} from "./request-stages.js";

function lineOf([record]: readonly RequestRecord[]) {
  if (record === undefined) throw new Error("nothing was reported");
  return buildAccessLine(record);
}

it("the access log contains the caller, the generated tokens and the duration", () => {
  const { clock, observe, end, records } = followedRequest();
  clock.advance(4);
  observe(0, waiting());
  clock.advance(11);
  observe(0, running);
  clock.advance(100.4);
  observe(0, text(1));
  observe(0, finished("length", { cachedTokens: 12, completionTokens: 3 }));
  end(requestEnd({ durationMs: 120.6, keyName: "alice" }));
  expect(lineOf(records)).toEqual({
    request_id: "req_1",
    method: "POST",
    path: "/v1/chat/completions",
    status: 200,
    ms: 121,
    client: "192.0.2.1",
    key: "alice",
    model: "mini",
    prompt_tokens: 20,
    cached_tokens: 12,
    completion_tokens: 3,
    queue_ms: 11,
    ttft_ms: 115,
    finish_reason: "length",
  });
});

it("the access log names the batch of a line", () => {
  const { end, records } = followedRequest({ ...chatRequest, batchId: "batch_1" });
  end(requestEnd());
  expect(lineOf(records)).toMatchObject({ request_id: "req_1", batch: "batch_1" });
});

it("the access log has no model fields for requests that used no model", () => {
  const { end, records } = followedRequest({
    id: "req_2",
    method: "GET",
    path: "/nowhere",
    clientAddress: "::1",
  });
  end(requestEnd({ status: 404, errorCode: "not_found", durationMs: 0.3 }));
  expect(lineOf(records)).toEqual({
    request_id: "req_2",
    method: "GET",
    path: "/nowhere",
    status: 404,
    ms: 0,
    client: "::1",
    error: "not_found",
  });
});

it("the access log adds up the choices of a request, with the earliest queue and first-token times", () => {
  const { clock, observe, end, records } = followedRequest();
  observe(0, waiting());
  observe(1, waiting({ sharesPrompt: true }));
  clock.advance(10);
  observe(1, running);
  clock.advance(10);
  observe(0, running);
  observe(1, text(1));
  clock.advance(10);
  observe(0, finished("tool-calls", { cachedTokens: 2, completionTokens: 5 }));
  observe(1, finished("stop", { cachedTokens: 19, completionTokens: 7 }));
  end(requestEnd());
  expect(lineOf(records)).toMatchObject({
    answers: 2,
    prompt_tokens: 20,
    cached_tokens: 2,
    completion_tokens: 12,
    queue_ms: 10,
    ttft_ms: 20,
    finish_reason: "tool_calls,stop",
  });
});

it("the access log has one finish reason if all choices have the same", () => {
  const { observe, end, records } = followedRequest();
  for (const choice of [0, 1]) {
    observe(choice, waiting());
    observe(choice, finished("stop"));
  }
  end(requestEnd());
  expect(lineOf(records).finish_reason).toBe("stop");
});

it("the access log counts the whole duration as queue time if a request never left the queue", () => {
  const { clock, observe, end, records } = followedRequest();
  observe(0, waiting());
  clock.advance(700);
  end(requestEnd({ delivery: "cut-by-client" }));
  const line = lineOf(records);
  expect(line).toMatchObject({ queue_ms: 700, finish_reason: "cancelled", cut_by_client: true });
  expect(line).not.toHaveProperty("ttft_ms");
});

it("the access log contains the error of a generation that failed in the background", () => {
  const { observe, end, records } = followedRequest();
  observe(0, waiting());
  end(requestEnd());
  observe(0, event({ type: "failed", error: new GgufdError("internal_error", "No.") }));
  expect(lineOf(records)).toMatchObject({
    status: 200,
    finish_reason: "error",
    error: "internal_error",
  });
});

it("the access log has no finish reason for pooling requests", () => {
  const { observe, end, records } = followedRequest();
  observe(0, waiting());
  observe(0, running);
  observe(0, { type: "pooled", promptTokens: 20 });
  end(requestEnd());
  expect(lineOf(records)).toMatchObject({ prompt_tokens: 20, completion_tokens: 0 });
  expect(lineOf(records)).not.toHaveProperty("finish_reason");
});

it("the access log contains the requested path and the client's trace id", () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const { end, records } = followedRequest({
    ...chatRequest,
    path: "/todos",
    answeredAs: "/v1/todos",
    traceParent: `00-${traceId}-b7ad6b7169203331-00`,
  });
  end(requestEnd());
  expect(lineOf(records)).toMatchObject({
    path: "/todos",
    answered_as: "/v1/todos",
    trace_id: traceId,
  });
});
