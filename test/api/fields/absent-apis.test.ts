import { describe, expect, test } from "vitest";
import { describeAbsentApi } from "../../../src/api/fields/absent-apis.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

describe("a path of an API that this server does not have", () => {
  test.each([
    ["/v1/images/generations", "generates no images"],
    ["/v1/images", "generates no images"],
    ["/v1/audio/speech", "generates no speech"],
    ["/v1/videos", "generates no videos"],
    ["/v1/moderations", "classifies no content"],
    ["/v1/fine_tuning/jobs/1", "trains no models"],
    ["/v1/vector_stores/vs_1/files", "POST /v1/embeddings"],
    ["/v1/threads/1/runs", "POST /v1/responses"],
    ["/v1/realtime/sessions", "no realtime sessions"],
    ["/v1/complete", "POST /v1/messages"],
    ["/v1beta/models/gemini-3:generateContent", "Gemini's API"],
    ["/v1beta/models/gemini-3:streamGenerateContent", "Gemini's API"],
    ["/v2/chat", "Cohere's rerank and embed"],
    ["/lmstudio-greeting", "LM Studio's own API"],
    ["/api/v0/models", "LM Studio's own API"],
  ])("has a reason: %s", (path, part) => {
    expect(describeAbsentApi(path)).toContain(part);
  });

  test.each(["/v1/imagess", "/v1/nothing", "/v1/audio/speeches", "/", "/v1/chat/completions"])(
    "has none if it is not known: %s",
    (path) => {
      expect(describeAbsentApi(path)).toBeUndefined();
    },
  );

  test("has a reason if a WebSocket is requested at any path", () => {
    expect(describeAbsentApi("/llm", "WebSocket")).toBe("ggufd has no WebSockets");
    expect(describeAbsentApi("/llm", "h2c")).toBeUndefined();
  });

  test.each([
    ["POST", "/v1/audio/speech", "POST /v1/audio/speech: ggufd generates no speech"],
    ["POST", "/v2/chat", "POST /v2/chat: ggufd has Cohere's rerank and embed"],
    ["GET", "/v2/nothing", "GET /v2/nothing. GET /docs"],
  ] as const)("answers %s %s with 404 and the reason", async (method, url, message) => {
    const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })));
    const response = await app.inject({ method, url, payload: {} });
    expect(response.statusCode).toBe(404);
    expect(response.json().error).toMatchObject({
      code: "not_found",
      message: expect.stringContaining(message),
    });
  });
});
