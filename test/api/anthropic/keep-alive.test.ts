import { fastify } from "fastify";
import { expect, it, onTestFinished } from "vitest";
import { messagesGroup } from "../../../src/api/anthropic/routes.js";
import { limitAnswerTime, setStreamResumption } from "../../../src/http/caller.js";
import { observeRequests } from "../../../src/http/observe-requests.js";
import { ResumableStreams } from "../../../src/http/resumable-streams.js";
import { mountRoutes } from "../../../src/http/route.js";
import { deferred, ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

it("an idle stream sends ping events, even before its first event", async () => {
  const release = deferred();
  const engine = new ScriptedEngine(() => ({ parts: ["Hi"], before: () => release.promise }));
  const app = fastify();
  onTestFinished(() => app.close());
  const { models } = buildTestApp(engine);
  observeRequests(app, []);
  limitAnswerTime(app, 0);
  setStreamResumption(app, "ended");
  mountRoutes(app, [messagesGroup], {
    ...{ models, pingAfterMs: 1, hostedTools: "leave-out" },
    streams: new ResumableStreams(),
  });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      max_tokens: 5,
      stream: true,
      messages: [{ role: "user", content: "Hi" }],
    }),
  });
  let received = "";
  for await (const chunk of response.body ?? []) {
    received += Buffer.from(chunk).toString();
    if (received.includes("ping")) release.resolve();
  }
  expect(received).toMatch(/^event: ping\ndata: \{"type":"ping"\}\n\n/);
  expect(received).toMatch(/event: message_stop\ndata: \{"type":"message_stop"\}\n\n$/);
});
