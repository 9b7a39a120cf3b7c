import { describe, expect, it, onTestFinished } from "vitest";
import type { RequestEnd } from "../../src/core/request-observer.js";
import { answerBatchLine } from "../../src/http/inner-request.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { buildTestApp } from "../support/test-app.js";

function build(keyLines: readonly string[]) {
  const ends: RequestEnd[] = [];
  const observer = {
    begin: () => ({ observe: () => undefined, end: (end: RequestEnd) => ends.push(end) }),
  };
  const engine = new ScriptedEngine(() => ({ parts: ["ok"] }));
  const { app, keys } = buildTestApp(engine, { keyLines, observers: [observer] });
  onTestFinished(() => app.close());
  const answer = (keyName: string, signal = new AbortController().signal) =>
    answerBatchLine(app, {
      batchId: "batch_1",
      path: "/v1/chat/completions",
      body: JSON.stringify({ messages: [{ role: "user", content: "Hi" }] }),
      signal,
      keyName,
    });
  return { app, keys, ends, answer };
}

describe("a line of a batch", () => {
  it("is a request of the key with this name, with its usage", async () => {
    const { answer, keys, ends } = build(["a name=alice requests-per-minute=2"]);
    expect((await answer("alice"))?.status).toBe(200);
    expect(ends).toMatchObject([{ status: 200, keyName: "alice" }]);
    expect(keys.find("a")?.headers).toMatchObject({ "x-ratelimit-remaining-requests": "1" });
    await answer("alice");
    expect(await answer("alice")).toMatchObject({
      status: 429,
      headers: { "retry-after": expect.anything() },
    });
  });

  it.each([
    ["mallory", "The batch was created with the API key mallory"],
    ["", "The batch was created with no API key"],
  ])("is refused for the name %j, which no key has", async (name, message) => {
    const { answer } = build(["a name=alice"]);
    const refused = await answer(name);
    expect(refused?.status).toBe(401);
    expect(refused?.payload).toContain(message);
  });

  it("is refused while its key is disabled", async () => {
    const { answer, keys } = build(["a name=alice"]);
    const [usage] = keys.usages;
    if (usage === undefined) throw new Error("expected a key");
    usage.setAvailability({ state: "disabled" });
    const refused = await answer("alice");
    expect(refused?.status).toBe(401);
    expect(refused?.payload).toContain("The API key alice is disabled.");
  });

  it("needs no key on a server without keys", async () => {
    expect((await build([]).answer(""))?.status).toBe(200);
  });

  it("has no answer once it is aborted", async () => {
    expect(await build([]).answer("", AbortSignal.abort())).toBeUndefined();
  });

  it("cannot be imitated by a client's header", async () => {
    const { app } = build(["a name=alice"]);
    const response = await app.inject({
      url: "/v1/models",
      headers: { "x-inner-request": "alice" },
    });
    expect(response.statusCode).toBe(401);
  });
});
