import { Writable } from "node:stream";
import { pino } from "pino";
import { expect, it } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

/** Application with a scripted engine, and its log lines. */
function appWith(script: Script, maxQueue?: number) {
  const log: string[] = [];
  const sink = new Writable({
    write(line, _encoding, done) {
      log.push(String(line));
      done();
    },
  });
  const engine = new ScriptedEngine(() => script, { slots: 1 });
  const { app } = buildTestApp(engine, { logger: pino(sink), maxQueue });
  const post = (fields: object) =>
    app.inject({ method: "POST", url: "/v1/responses", payload: { input: "Hi", ...fields } });
  return { app, engine, log, post };
}

it("a background response is cancelled when the server closes", async () => {
  const { app, engine, post } = appWith({ parts: ["One"], ending: "never" });
  const { id } = (await post({ background: true })).json();
  await app.close();
  expect(engine.cancelled).toEqual([id]);
});

it("a background response is subject to the same queue limit as any other", async () => {
  const { app, post } = appWith({ parts: [], ending: "never" }, 1);
  const statuses: number[] = [];
  for (let count = 0; count < 3; count++) {
    statuses.push((await post({ background: true })).statusCode);
  }
  expect(statuses).toEqual([200, 200, 503]);
  await app.close();
});

it("a background response with a prompt that exceeds the context is rejected before it starts", async () => {
  const { post } = appWith({ parts: [] });
  const refused = await post({ background: true, stream: true, input: "x".repeat(200) });
  expect(refused.statusCode).toBe(400);
  expect(refused.json()).toMatchObject({ error: { code: "context_length_exceeded" } });
});

it.each([{ background: true, stream: true }, { stream: true }])(
  "a failure reported as a stream event is logged: %j",
  async (fields) => {
    const cause = new Error("the reason");
    const ending = new GgufdError("internal_error", "It broke.", { cause });
    const { log, post } = appWith({ parts: ["One"], ending });
    expect((await post(fields)).body).toContain("response.failed");
    expect(log.filter((line) => line.includes("the reason"))).toHaveLength(1);
  },
);

it("an invalid item of a conversation is reported for the field conversation", async () => {
  const { app, post } = appWith({ parts: ["One"] });
  const items = [{ type: "function_call_output", call_id: "call_1", output: "1" }];
  const created = await app.inject({
    method: "POST",
    url: "/v1/conversations",
    payload: { items },
  });
  const refused = await post({ conversation: created.json().id });
  expect(refused.json()).toMatchObject({ error: { param: "conversation" } });
});
