import { expect, it } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

/** Numbers that JavaScript cannot represent, and one that it would serialise differently. */
const written = '{"id": 12345678901234567890, "x": 1.0}';

const conversation = `{"stream": false, "messages": [
  {"role": "user", "content": "Find it."},
  {"role": "assistant", "content": "", "tool_calls": [
    {"function": {"name": "find", "arguments": ${written}}},
    {"function": {"name": "find", "arguments": null}}
  ]},
  {"role": "tool", "content": "7"}
]}`;

it.each(["application/json", "application/x-www-form-urlencoded"])(
  "numbers in an earlier tool call's arguments reach the model verbatim: %s",
  async (type) => {
    const engine = new ScriptedEngine(() => ({ parts: ["Found."] }));
    const { app } = buildTestApp(engine);
    const response = await app.inject({
      method: "POST",
      url: "/api/chat",
      payload: conversation,
      headers: { "content-type": type },
    });
    expect(response.statusCode, response.body).toBe(200);
    const message = engine.requests[0]?.prompt.messages[1];
    expect(message).toMatchObject({ toolCalls: [{ arguments: written }, { arguments: "{}" }] });
  },
);
