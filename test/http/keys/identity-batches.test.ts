import { describe, expect, it, onTestFinished } from "vitest";
import { answerBatchLine } from "../../../src/http/inner-request.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

function prepare() {
  const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })), {
    identities: {
      rules: ["groups=staff scopes=inference,batches"],
      trustedHeaders: { user: "x-user", groups: "x-groups" },
    },
  });
  onTestFinished(() => app.close());
  const answer = (keyName: string) =>
    answerBatchLine(app, {
      batchId: "batch_1",
      path: "/v1/chat/completions",
      body: JSON.stringify({ messages: [{ role: "user", content: "Hi" }] }),
      signal: new AbortController().signal,
      keyName,
    });
  return { app, answer };
}

describe("a line of a batch of a user without a key", () => {
  it("waits until the user has sent a request, and then has the user's permissions", async () => {
    const { app, answer } = prepare();
    expect(await answer("proxy:alice")).toMatchObject({
      status: 503,
      headers: { "retry-after": "60" },
    });
    const headers = { "x-user": "alice", "x-groups": "staff" };
    expect((await app.inject({ url: "/v1/key", headers })).statusCode).toBe(200);
    expect((await answer("proxy:alice"))?.status).toBe(200);
    expect((await answer("proxy:bob"))?.status).toBe(503);
  });

  it("is refused for the name of a key that does not exist", async () => {
    const { answer } = prepare();
    expect((await answer("alice"))?.status).toBe(401);
  });
});
