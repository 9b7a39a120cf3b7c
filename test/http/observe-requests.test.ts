import { once } from "node:events";
import { type IncomingMessage, request as send } from "node:http";
import { describe, expect, it, test } from "vitest";
import type {
  RequestBeginning,
  RequestEnd,
  RequestObserver,
} from "../../src/core/request-observer.js";
import { eventually } from "../support/eventually.js";
import { runApp } from "../support/running-app.js";
import { type Script, ScriptedEngine } from "../support/scripted-engine.js";

/** Observations of a request. */
interface Observed {
  readonly beginning: RequestBeginning;
  end?: RequestEnd;
}

async function observedApp(script: Script = { parts: ["a"] }) {
  const observed: Observed[] = [];
  const observer: RequestObserver = {
    begin: (beginning) => {
      const request: Observed = { beginning };
      observed.push(request);
      return {
        observe: () => undefined,
        responseHeaders: { traceparent: "00-1-2-01" },
        end: (end) => {
          expect(request.end).toBeUndefined();
          request.end = end;
        },
      };
    },
  };
  const { url, close } = await runApp(new ScriptedEngine(() => script), { observers: [observer] });
  return { url, close, observed };
}

/** Sends one request to its end. */
async function observedRequest(path: string, init: RequestInit = {}) {
  const { url, close, observed } = await observedApp();
  const response = await fetch(`${url}${path}`, init);
  await response.text();
  await close();
  const [request] = observed;
  expect(observed).toHaveLength(1);
  return { response, ...request };
}

const chat = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ messages: [{ role: "user", content: "Hi" }] }),
};

describe("an observer receives a report", () => {
  it("of the beginning and the end of a request", async () => {
    const headers = { ...chat.headers, traceparent: "00-a-b-01", tracestate: "v=1" };
    const request = await observedRequest("/v1/chat/completions?x=1", { ...chat, headers });
    expect(request.beginning).toEqual({
      id: request.response.headers.get("x-request-id"),
      method: "POST",
      path: "/v1/chat/completions",
      clientAddress: "127.0.0.1",
      route: "/v1/chat/completions",
      operation: "chat",
      traceParent: "00-a-b-01",
      traceState: "v=1",
    });
    expect(request.end).toEqual({
      status: 200,
      durationMs: expect.any(Number),
      delivery: "complete",
    });
  });

  it("of the route's pattern, if there is one", async () => {
    expect((await observedRequest("/v1/models/x")).beginning?.route).toBe("/v1/models/:id");
    expect((await observedRequest("/nowhere")).beginning).not.toHaveProperty("route");
  });

  it("of the effective path if a header selects the version", async () => {
    const { beginning } = await observedRequest("//todos?x=1", {
      headers: { "api-version": "v1" },
    });
    expect(beginning).toMatchObject({ path: "/todos", answeredAs: "/v1/todos" });
  });

  it("of the error with which a request was answered", async () => {
    const { end } = await observedRequest("/v1/chat/completions", { ...chat, body: "{" });
    expect(end).toMatchObject({ status: 400, errorCode: "invalid_json", delivery: "complete" });
  });

  it("of a request whose path cannot be decoded", async () => {
    const { beginning, end, response } = await observedRequest("/v1/%zz");
    expect(beginning).toMatchObject({ method: "GET", path: "/v1/%zz" });
    expect(beginning).not.toHaveProperty("route");
    expect(end).toMatchObject({ status: 400, errorCode: "invalid_request" });
    expect(response.headers.get("traceparent")).toBe("00-1-2-01");
  });
});

test("the headers of an observer are part of the answer, including streams", async () => {
  for (const body of [chat.body, JSON.stringify({ ...JSON.parse(chat.body), stream: true })]) {
    const { response } = await observedRequest("/v1/chat/completions", { ...chat, body });
    expect(response.headers.get("traceparent")).toBe("00-1-2-01");
  }
});

test("a client that disconnects aborts its answer", async () => {
  const { url, close, observed } = await observedApp({ parts: ["a"], ending: "never" });
  const sent = send(`${url}/v1/chat/completions`, { ...chat, agent: false });
  sent.end(JSON.stringify({ ...JSON.parse(chat.body), stream: true }));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  await once(response, "data");
  sent.destroy();
  await eventually(() => {
    expect(observed[0]?.end).toMatchObject({ status: 200, delivery: "cut-by-client" });
  });
  await close();
});
