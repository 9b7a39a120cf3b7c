import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message, MessageStreamEvent } from "../../../src/api/anthropic/response-schema.js";
import { createSignature } from "../../../src/api/anthropic/thinking.js";
import { GgufdError } from "../../../src/core/errors.js";
import { type Script, ScriptedEngine, type ScriptedPart } from "../../support/scripted-engine.js";
import { eventJson } from "../../support/server-sent-events.js";
import { buildTestApp } from "../../support/test-app.js";
import { assembled } from "./assemble.js";

const messages = [{ role: "user", content: "Hi" }];

let script: Script = { parts: [] };
const { app } = buildTestApp(new ScriptedEngine(() => script));

function send(next: Script, fields: object = {}) {
  script = next;
  const payload = { max_tokens: 50, messages, ...fields };
  return app.inject({ method: "POST", url: "/v1/messages", payload });
}

const stream = (next: Script, fields: object = {}) => send(next, { ...fields, stream: true });

async function eventsOf(next: Script, fields: object = {}) {
  return eventJson<MessageStreamEvent>((await stream(next, fields)).body);
}

describe("a streamed message", () => {
  it("names each server-sent event after its type", async () => {
    const response = await stream({ parts: ["Hel", "lo"] });
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      "content-type": expect.stringMatching(/^text\/event-stream/),
      "cache-control": "no-cache",
      "request-id": response.headers["x-request-id"],
      "access-control-allow-origin": "*",
    });
    const events = response.body.split("\n\n").filter(Boolean);
    for (const event of events) {
      const [name, data, ...others] = event.split("\n");
      const { type } = JSON.parse(String(data?.slice("data: ".length))) as { type: string };
      expect([name, others]).toEqual([`event: ${type}`, []]);
    }
    expect(events.at(-1)).toBe('event: message_stop\ndata: {"type":"message_stop"}');
  });

  it("starts with the usage and sends one delta per chunk", async () => {
    const [start, ...others] = await eventsOf({ parts: ["Hel", "lo"], ending: "length" });
    expect(start).toMatchObject({
      type: "message_start",
      message: {
        content: [],
        stop_reason: null,
        usage: { input_tokens: 1, cache_read_input_tokens: 1, output_tokens: 1 },
      },
    });
    expect(others).toEqual([
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "text", text: "", citations: [] },
      },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hel" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "lo" } },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: {
          stop_reason: "max_tokens",
          stop_sequence: null,
          stop_details: null,
          container: null,
        },
        usage: expect.objectContaining({ input_tokens: 1, output_tokens: 2 }),
      },
      { type: "message_stop" },
    ]);
  });

  it("sends the signature at the end of a thinking block and numbers the blocks", async () => {
    const add = { id: "call_1", name: "add", arguments: ['{"a":', "1}"] };
    const now = { id: "call_2", name: "now", arguments: "{}" };
    const parts = [{ reasoning: "Hm" }, { reasoning: "m." }, "Wait.", { call: add }, { call: now }];
    const events = await eventsOf({ parts, ending: "tool-calls" });
    expect(
      events.map((event) => {
        if (event.type === "content_block_start") return [event.index, event.content_block.type];
        if (event.type === "content_block_delta") return [event.index, event.delta.type];
        return event.type === "content_block_stop" ? [event.index, "stop"] : event.type;
      }),
    ).toEqual([
      "message_start",
      [0, "thinking"],
      [0, "thinking_delta"],
      [0, "thinking_delta"],
      [0, "signature_delta"],
      [0, "stop"],
      [1, "text"],
      [1, "text_delta"],
      [1, "stop"],
      [2, "tool_use"],
      [2, "input_json_delta"],
      [2, "input_json_delta"],
      [2, "stop"],
      [3, "tool_use"],
      [3, "input_json_delta"],
      [3, "stop"],
      "message_delta",
      "message_stop",
    ]);
    expect(events).toContainEqual({
      type: "content_block_delta",
      index: 0,
      delta: { type: "signature_delta", signature: createSignature("Hmm.", "shown") },
    });
  });

  it("sends the signature but no text of a thinking block with display omitted", async () => {
    const thinking = { type: "enabled", budget_tokens: 10, display: "omitted" };
    const events = await eventsOf({ parts: [{ reasoning: "Hmm." }, "So."] }, { thinking });
    expect(assembled(events).content[0]).toEqual({
      type: "thinking",
      thinking: "",
      signature: createSignature("Hmm.", "omitted"),
    });
  });

  it("has no content blocks if nothing was generated", async () => {
    const types = (await eventsOf({ parts: [] })).map(({ type }) => type);
    expect(types).toEqual(["message_start", "message_delta", "message_stop"]);
  });

  it("reports the stop sequence that ended the message", async () => {
    const message = assembled(await eventsOf({ parts: ["a"], stopString: "\n\nHuman:" }));
    expect(message).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: "\n\nHuman:" });
  });

  it("adds up to the non-streamed message, for any chunk boundaries", async () => {
    const text = fc.string({ unit: "binary", minLength: 1 });
    const input = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 });
    const part: fc.Arbitrary<ScriptedPart> = fc.oneof(
      text,
      text.map((reasoning) => ({ reasoning })),
      fc.tuple(input, fc.nat(20)).map(([value, cut]) => {
        const json = JSON.stringify(value);
        const pieces = [json.slice(0, cut), json.slice(cut)];
        return { call: { id: "c", name: "f", arguments: pieces } };
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
        const answer: Script = { parts, ending: "tool-calls" };
        const whole = (await send(answer)).json<Message>();
        const streamed = assembled(await eventsOf(answer));
        expect({ ...streamed, id: "" }).toEqual({ ...whole, id: "" });
      }),
      { numRuns: 50 },
    );
  });

  it.each(["\n\n", "\r\n\r\ndata: x\n\n", '"}\n\nevent: error', "\u2028\u0000\u001b", "\ud800"])(
    "escapes %j in a text",
    async (text) => {
      const call = { id: "c", name: "f", arguments: JSON.stringify({ text }) };
      const events = await eventsOf({ parts: [{ reasoning: text }, text, { call }] });
      expect(assembled(events).content).toMatchObject([
        { thinking: text },
        { text },
        { input: { text } },
      ]);
    },
  );

  it("returns the HTTP status of an error that occurs before the first token", async () => {
    const broken = new GgufdError("internal_error", "It broke.");
    const response = await stream({ parts: [], ending: broken });
    expect(response.statusCode).toBe(500);
    expect(response.headers["content-type"]).toMatch(/^application\/json/);
    expect(response.headers["request-id"]).toBe(response.headers["x-request-id"]);
    expect(response.json()).toEqual({
      type: "error",
      error: { type: "api_error", message: "It broke." },
      request_id: response.headers["request-id"],
    });
  });

  it("ends with an error event if an error occurs after the first token", async () => {
    const broken = new GgufdError("internal_error", "It broke.");
    const { body, headers } = await stream({ parts: ["a"], ending: broken });
    const error = { type: "api_error", message: "It broke." };
    const last = { type: "error", error, request_id: headers["x-request-id"] };
    expect(body.endsWith(`event: error\ndata: ${JSON.stringify(last)}\n\n`)).toBe(true);
    expect(body).not.toContain("message_stop");
  });
});
