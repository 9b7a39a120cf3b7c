import { pino } from "pino";
import { expect, test } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { buildTestApp } from "../support/test-app.js";
import { textIn } from "../support/text-in.js";

test("prompts and answers do not appear in the log, even at the most verbose level", async () => {
  const lines: string[] = [];
  const logger = pino({ level: "trace" }, { write: (line) => lines.push(line) });
  const failure = new GgufdError("internal_error", "It failed.", { cause: new Error("reason") });
  const engine = new ScriptedEngine(({ prompt }) => ({
    parts: [
      "hush-answer",
      { call: { id: "hush-id", name: "not-offered", arguments: '{"a":"hush"}' } },
    ],
    ...(textIn(prompt.messages[0]?.content).endsWith("fail") && { ending: failure }),
  }));
  const { app } = buildTestApp(engine, { logger });
  const send = (url: string, payload: object | string) =>
    app.inject({
      method: "POST",
      url,
      headers: { "content-type": "application/json" },
      payload: typeof payload === "string" ? payload : JSON.stringify(payload),
    });
  const messages = [{ role: "user", content: "hush-prompt" }];
  const failing = [{ role: "user", content: "hush-prompt-fail" }];
  const statuses = [
    await send("/v1/chat/completions", { messages }),
    await send("/v1/chat/completions", { messages, stream: true }),
    await send("/v1/chat/completions", { messages: failing }),
    await send("/v1/chat/completions", { messages, temperature: "hush-value" }),
    await send("/v1/chat/completions", '{"messages": "hush-prompt'),
    await send("/v1/messages", { messages, max_tokens: 5 }),
    await send("/v1/responses", { input: "hush-prompt" }),
    await send("/api/chat", { model: "scripted", messages }),
  ].map(({ statusCode }) => statusCode);
  expect(statuses).toEqual([200, 200, 500, 400, 400, 200, 200, 200]);
  expect(lines.length).toBeGreaterThan(statuses.length);
  expect(lines.join()).not.toContain("hush");
  expect(lines.join()).toContain("not-offered");
});
