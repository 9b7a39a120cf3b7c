import type { Message } from "@anthropic-ai/sdk/resources/messages";
import { describe, expect, it } from "vitest";
import { createSignature } from "../../../src/api/anthropic/thinking.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { ALIAS, buildTestApp } from "../../support/test-app.js";

const messages = [{ role: "user", content: "Hi" }];

async function send(script: Script, fields: object = {}, url = "/v1/messages") {
  const { app } = buildTestApp(new ScriptedEngine(() => script, { contextSize: 1000 }));
  const payload = { max_tokens: 50, messages, ...fields };
  return app.inject({ method: "POST", url, payload });
}

describe("a non-streamed message", () => {
  it.each(["/v1/messages", "/v1/messages?beta=true"])("is returned by POST %s", async (url) => {
    const response = await send({ parts: ["Hel", "lo"] }, {}, url);
    expect(response.statusCode).toBe(200);
    expect(response.headers["request-id"]).toBe(response.headers["x-request-id"]);
    expect(response.json()).toEqual({
      id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      type: "message",
      role: "assistant",
      model: ALIAS,
      content: [{ type: "text", text: "Hello", citations: [] }],
      stop_reason: "end_turn",
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: {
        input_tokens: 1,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 1,
        output_tokens: 2,
        output_tokens_details: { thinking_tokens: 0 },
        server_tool_use: null,
        cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
        inference_geo: null,
        service_tier: "standard",
        speed: null,
      },
    });
  });

  it("has thinking, text and tool calls as content blocks", async () => {
    const call = { id: "call_1", name: "add", arguments: ['{"a"', ":1}"] };
    const parts = [{ reasoning: "Hm" }, { reasoning: "m." }, "Wait.", { call }];
    const response = await send({ parts, ending: "tool-calls" });
    expect(response.json<Message>()).toMatchObject({
      content: [
        { type: "thinking", thinking: "Hmm.", signature: createSignature("Hmm.", "shown") },
        { type: "text", text: "Wait." },
        { type: "tool_use", id: "call_1", name: "add", input: { a: 1 } },
      ],
      stop_reason: "tool_use",
    });
  });

  it("has the signature but no text of a thinking block with display omitted", async () => {
    const thinking = { type: "adaptive", display: "omitted" };
    const { content } = (
      await send({ parts: [{ reasoning: "Hmm." }, "So."] }, { thinking })
    ).json<Message>();
    expect(content[0]).toEqual({
      type: "thinking",
      thinking: "",
      signature: createSignature("Hmm.", "omitted"),
    });
  });

  it.each([
    ["end_turn", null, { parts: ["a"] }],
    ["max_tokens", null, { parts: ["a"], ending: "length" as const }],
    ["stop_sequence", "END", { parts: ["a"], stopString: "END" }],
    ["tool_use", null, { parts: [], ending: "tool-calls" as const }],
  ])("has the stop reason %s", async (reason, sequence, script) => {
    const body = (await send(script)).json<Message>();
    expect([body.stop_reason, body.stop_sequence]).toEqual([reason, sequence]);
  });

  it("has no content if nothing was generated", async () => {
    expect((await send({ parts: [] })).json<Message>().content).toEqual([]);
  });

  it.each(['{"a":', "[1]", ""])(
    "has an empty input for a tool call with the truncated arguments %j",
    async (args) => {
      const call = { id: "call_1", name: "add", arguments: args };
      const { content } = (await send({ parts: [{ call }], ending: "length" })).json<Message>();
      expect(content).toMatchObject([{ type: "tool_use", input: {} }]);
    },
  );
});
