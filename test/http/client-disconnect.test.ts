import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { buildTestApp, type TestApp } from "../support/test-app.js";

const apps: TestApp[] = [];
afterEach(async () => {
  for (const { app, scheduler } of apps.splice(0)) {
    scheduler.endAll();
    await app.close();
  }
});

async function listen(engine: ScriptedEngine) {
  const testApp = buildTestApp(engine);
  apps.push(testApp);
  await testApp.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = testApp.app.server.address() as AddressInfo;
  return (body: object) => {
    const call = request({
      port,
      host: "127.0.0.1",
      method: "POST",
      path: "/v1/chat/completions",
      headers: { "content-type": "application/json" },
      agent: false,
    });
    call.on("error", () => undefined);
    call.end(JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...body }));
    return call;
  };
}

const never = () => ({ parts: ["a"], ending: "never" as const });

describe("a client that disconnects", () => {
  it.each([{ stream: true }, { stream: false }])(
    "frees its slot during generation (%j)",
    async (body) => {
      const engine = new ScriptedEngine(never);
      const post = await listen(engine);
      const call = post(body);
      await eventually(() => expect(engine.started).toHaveLength(1));
      call.destroy();
      await eventually(() => expect(engine.cancelled).toEqual(engine.started));
    },
  );

  it("leaves the queue before its generation starts", async () => {
    const engine = new ScriptedEngine(never, { slots: 1 });
    const post = await listen(engine);
    const running = post({});
    await eventually(() => expect(engine.started).toHaveLength(1));
    const waiting = post({});
    await eventually(() => expect(engine.requests).toHaveLength(2));
    waiting.destroy();
    const last = post({});
    await eventually(() => expect(engine.requests).toHaveLength(3));
    running.destroy();
    await eventually(() => expect(engine.started).toHaveLength(2));
    expect(engine.started).toEqual([engine.requests[0]?.id, engine.requests[2]?.id]);
    last.destroy();
  });

  it("frees its slot while its socket is under backpressure", async () => {
    const text = "x".repeat(1_000_000);
    const engine = new ScriptedEngine(() => ({
      parts: Array.from({ length: 64 }, () => text),
      ending: "never",
    }));
    const post = await listen(engine);
    const call = post({ stream: true });
    const [response] = await once(call, "response");
    response.pause();
    call.destroy();
    await eventually(() => expect(engine.cancelled).toEqual(engine.started));
  });
});
