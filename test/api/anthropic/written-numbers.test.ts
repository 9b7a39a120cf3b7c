import { expect, it } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

/** Numbers that JavaScript cannot represent, and one that it would serialise differently. */
const written = '{"id": 12345678901234567890, "x": 1.0}';

async function post(url: string, payload: string) {
  const call = { id: "call_1", name: "find", arguments: written };
  const engine = new ScriptedEngine(() => ({ parts: [{ call }], ending: "tool-calls" }), {
    contextSize: 1000,
  });
  const { app } = buildTestApp(engine);
  const headers = { "content-type": "application/json" };
  const response = await app.inject({ method: "POST", url, payload, headers });
  expect(response.statusCode, response.body).toBe(200);
  return { engine, response };
}

const conversation = `{"max_tokens": 9, "messages": [
  {"role": "user", "content": "Find it."},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "call_1", "name": "find", "input": ${written}},
    {"type": "tool_use", "id": "call_2", "name": "find", "input": {}}
  ]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "7"}]}
]}`;

it.each(["/v1/messages", "/v1/messages/count_tokens"])(
  "numbers in an earlier tool call's input reach the model verbatim: %s",
  async (url) => {
    const { engine } = await post(url, conversation);
    const message = engine.requests[0]?.prompt.messages[1];
    expect(message).toMatchObject({ toolCalls: [{ arguments: written }, { arguments: "{}" }] });
  },
);

it("numbers in a tool call's input are returned as the model wrote them", async () => {
  const { response } = await post("/v1/messages", conversation);
  expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(response.body).toContain(`"input":${written}`);
});
