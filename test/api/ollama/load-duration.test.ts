import { describe, expect, it, onTestFinished } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { embeddingModel, ScriptedPooling, vectorOfText } from "../../support/scripted-pooling.js";
import { buildTestApp } from "../../support/test-app.js";

/**
 * Server that loads a model for each request.
 * @param waitedMs loading time; `undefined` if the model is already loaded
 */
function serve(waitedMs: number | undefined) {
  const { app, models } = buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })), {
    otherModels: [embeddingModel(new ScriptedPooling({ vectorOf: vectorOfText }))],
  });
  onTestFinished(() => app.close());
  const resolve = models.resolve.bind(models);
  models.resolve = (kind, name, user) => {
    if (waitedMs !== undefined) user.onLoaded?.(waitedMs);
    return resolve(kind, name, user);
  };
  return async (path: string, payload: object) => {
    const { body } = await app.inject({ method: "POST", url: `/api/${path}`, payload });
    return JSON.parse(body.trim().split("\n").at(-1) ?? "");
  };
}

describe.each([
  ["chat", { messages: [{ role: "user", content: "Hi" }] }],
  ["chat", { messages: [{ role: "user", content: "Hi" }], stream: false }],
  ["chat", {}],
  ["generate", { prompt: "Hi" }],
  ["generate", { prompt: "Hi", stream: false }],
  ["generate", {}],
  ["embed", { input: "Hi" }],
])("load_duration of /api/%s with %j", (path, payload) => {
  it("is the time that the request waited for the model to load, in nanoseconds", async () => {
    expect(await serve(1500.5)(path, payload)).toMatchObject({ load_duration: 1_500_500_000 });
  });

  it("is 0 if the model was already loaded", async () => {
    expect(await serve(undefined)(path, payload)).toMatchObject({ load_duration: 0 });
  });
});
