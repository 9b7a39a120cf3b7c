import { expect, it, test } from "vitest";
import { recordRoutes } from "../../src/http/registered-routes.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { buildTestApp } from "../support/test-app.js";

const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })));
const routes = recordRoutes(app);

test.each([
  ["/v1/chat/completions", "chat"],
  ["/v1/audio/transcriptions", "chat"],
  ["/v1/audio/translations", "chat"],
  ["/v1/messages", "chat"],
  ["/v1/responses", "chat"],
  ["/api/chat", "chat"],
  ["/v1/completions", "text_completion"],
  ["/completion", "text_completion"],
  ["/completions", "text_completion"],
  ["/infill", "text_completion"],
  ["/api/generate", "text_completion"],
  ["/v1/embeddings", "embeddings"],
  ["/v1/embed", "embeddings"],
  ["/v2/embed", "embeddings"],
  ["/api/embed", "embeddings"],
  ["/api/embeddings", "embeddings"],
  ["/v1/rerank", "rerank"],
  ["/v2/rerank", "rerank"],
  ["/rerank", "rerank"],
  ["/v1/score", "rerank"],
])("the operation name of %s is %s", async (url, operation) => {
  await app.ready();
  const route = routes.find(({ method, pattern }) => method === "POST" && pattern === url);
  expect(route?.operation).toBe(operation);
});

it.each(["/v1/models", "/v1/todos"])("%s has no operation name", async (url) => {
  await app.ready();
  const route = routes.find(({ pattern }) => pattern === url);
  expect(route).toBeDefined();
  expect(route?.operation).toBeUndefined();
});
