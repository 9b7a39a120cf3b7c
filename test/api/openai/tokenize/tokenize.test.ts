import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../../../support/scripted-engine.js";
import { buildTestApp } from "../../../support/test-app.js";

const engine = new ScriptedEngine(() => ({ parts: [] }));

async function post(url: string, payload: object) {
  const { app } = buildTestApp(engine);
  const response = await app.inject({ method: "POST", url, payload });
  return { status: response.statusCode, body: response.json() };
}

describe("POST /tokenize", () => {
  it.each([
    [{ content: "ab" }, { tokens: [97, 98], count: 2, max_model_len: 100 }],
    [
      { content: "ab", add_special: true },
      { tokens: [1, 97, 98], count: 3, max_model_len: 100 },
    ],
    [{ prompt: "ab" }, { tokens: [1, 97, 98], count: 3, max_model_len: 100 }],
    [
      { prompt: "ab", add_special_tokens: false },
      { tokens: [97, 98], count: 2 },
    ],
    [{ content: "" }, { tokens: [], count: 0 }],
    [{ content: "a", with_pieces: null }, { tokens: [97] }],
  ])("returns the tokens of %j", async (payload, expected) => {
    const { status, body } = await post("/tokenize", payload);
    expect(status).toBe(200);
    expect(body).toMatchObject(expected);
    expect(body).not.toHaveProperty("token_strs");
  });

  it("returns pieces on request, as bytes if a piece is not UTF-8", async () => {
    const { body } = await post("/tokenize", {
      content: "a\u00c3",
      with_pieces: true,
      return_token_strs: true,
    });
    expect(body).toMatchObject({
      tokens: [
        { id: 97, piece: "a" },
        { id: 0xc3, piece: [0xc3] },
      ],
      token_strs: ["a", "\ufffd"],
    });
  });
});

it("POST /detokenize returns the text under llama-server's and vLLM's field names", async () => {
  const { body } = await post("/detokenize", { tokens: [0x1f600, 97] });
  expect(body).toEqual({ content: "😀a", prompt: "😀a" });
});

it("POST /apply-template renders a conversation", async () => {
  const { body } = await post("/apply-template", {
    messages: [
      { role: "developer", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Hi" }] },
    ],
  });
  expect(body).toEqual({ prompt: "system: Be brief.\nuser: Hi\nassistant:" });
});

it.each([
  ["user", { add_generation_prompt: false }, "user: Hi\n"],
  ["user", { add_generation_prompt: true }, "user: Hi\nassistant:"],
  ["assistant", { add_generation_prompt: false, continue_final_message: false }, "assistant: Hi\n"],
])("POST /apply-template renders a final %s message with %j", async (role, fields, prompt) => {
  const messages = [{ role, content: "Hi" }];
  const { body } = await post("/apply-template", { messages, ...fields });
  expect(body).toEqual({ prompt });
});

describe("an invalid request is rejected", () => {
  it.each([
    ["/tokenize", {}, "content", "expected a string here or in prompt, and not in both"],
    ["/tokenize", { content: "a", prompt: "b" }, "content", "and not in both"],
    [
      "/tokenize",
      { content: 7 },
      "content",
      "expected a string of at most 1048576 characters, got 7",
    ],
    ["/tokenize", { content: "x".repeat(2 ** 20 + 1) }, "content", "at most 1048576 characters"],
    [
      "/tokenize",
      { content: "a", add_special: "no" },
      "add_special",
      'expected true or false, got "no"',
    ],
    [
      "/tokenize",
      { content: "a", parse_special: 1 },
      "parse_special",
      "expected true or false, got 1",
    ],
    ["/detokenize", {}, "tokens", "expected an array of token ids, got nothing"],
    ["/detokenize", { tokens: "a" }, "tokens", 'expected an array of token ids, got "a"'],
    ["/detokenize", { tokens: [1, -1] }, "tokens.1", "expected an integer from 0 to"],
    ["/detokenize", { tokens: [1.5] }, "tokens.0", "expected an integer from 0 to"],
    ["/apply-template", {}, "messages", "expected an array of messages, got nothing"],
    ["/apply-template", { messages: [] }, "messages", "expected at least one message"],
  ])("by %s with %.60j", async (url, payload, param, reason) => {
    const { status, body } = await post(url, payload);
    expect(status).toBe(400);
    expect(body.error.param).toBe(param);
    expect(body.error.message).toContain(reason);
  });

  it.each(["/tokenize", "/detokenize", "/apply-template"])(
    "by %s for an unknown model",
    async (url) => {
      const payload = {
        model: "gpt-5",
        content: "a",
        tokens: [1],
        messages: [{ role: "user", content: "a" }],
      };
      expect((await post(url, payload)).status).toBe(404);
    },
  );
});
