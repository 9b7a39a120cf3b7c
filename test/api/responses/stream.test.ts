import { expect, it } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

/** Characters that could be mistaken for the end of a line, an event or a string. */
const hostile = 'a\r\n\r\ndata: {"error":1}\n\nevent: error\n: x\u0000\u2028\u2029"\\\u001b[DONE]';

it("a streamed response consists of named events that no text can break", async () => {
  const call = { id: hostile, name: "now", arguments: JSON.stringify({ hostile }) };
  const parts = [{ reasoning: hostile }, hostile, { call }];
  const { app } = buildTestApp(new ScriptedEngine(() => ({ parts, ending: "tool-calls" })));
  const response = await app.inject({
    method: "POST",
    url: "/v1/responses",
    payload: { input: "Hi", stream: true },
  });
  expect(response.headers).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
  });
  expect(response.body).not.toMatch(/\[DONE\]\n\n$/);
  const events = response.body.split("\n\n").slice(0, -1);
  const parsed = events.map((event) => {
    const [, name, data] = /^event: (\S+)\ndata: ([^\r\n]*)$/.exec(event) ?? [];
    const value = JSON.parse(data ?? "");
    expect(value.type).toBe(name);
    return value;
  });
  expect(parsed.map(({ sequence_number }) => sequence_number)).toEqual([...parsed.keys()]);
  expect(parsed.at(-1)).toMatchObject({
    type: "response.completed",
    timings: { prompt_ms: 2, predicted_ms: 3 },
    response: {
      output: [
        { content: [{ text: hostile }] },
        { content: [{ text: hostile }] },
        { call_id: hostile, arguments: call.arguments },
      ],
    },
  });
});
