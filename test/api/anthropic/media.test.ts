import { describe, expect, test } from "vitest";
import type { MediaKind } from "../../../src/core/media.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { IMAGE, IMAGE_FILE, IMAGE_URL } from "../../support/some-media.js";
import { buildTestApp } from "../../support/test-app.js";

function serve(media: readonly MediaKind[] = ["image"]) {
  const engine = new ScriptedEngine(() => ({ parts: ["A cat."] }), { media });
  const { app } = buildTestApp(engine);
  const post = (messages: readonly object[], path = "") =>
    app.inject({
      method: "POST",
      url: `/v1/messages${path}`,
      headers: { "anthropic-version": "2023-06-01" },
      payload: { messages, ...(path === "" && { max_tokens: 10 }) },
    });
  const prompted = async (...messages: readonly object[]) => {
    const { statusCode, body } = await post(messages);
    expect(statusCode, body).toBe(200);
    return engine.requests.at(-1)?.prompt.messages;
  };
  const refusal = async (...messages: readonly object[]) => {
    const response = await post(messages);
    expect(response.statusCode).toBe(400);
    expect(engine.requests).toEqual([]);
    return response.json().error.message;
  };
  return { engine, post, prompted, refusal };
}

const user = (...content: readonly object[]) => ({ role: "user", content });
const text = (words: string) => ({ type: "text", text: words });
const image = (data = IMAGE) => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data },
});
const imageAt = (url: string) => ({ type: "image", source: { type: "url", url } });
const result = (content: readonly object[], is_error = false) => ({
  type: "tool_result",
  tool_use_id: "toolu_1",
  content,
  is_error,
});
const mediaAt = (field: string) => ({
  type: "media",
  kind: "image",
  field,
  content: IMAGE_FILE,
});

const called = [
  { role: "user", content: "Look." },
  { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "look", input: {} }] },
];

describe("an image block", () => {
  test("keeps its position between text blocks", async () => {
    const { prompted } = serve();
    const content = [image(), text("What"), text("is this?"), imageAt(IMAGE_URL)];
    expect(await prompted(user(...content))).toEqual([
      {
        role: "user",
        content: [
          mediaAt("messages.0.content.0.source.data"),
          text("What\nis this?"),
          mediaAt("messages.0.content.3.source.url"),
        ],
      },
    ]);
  });

  test("keeps its position when consecutive messages of one role are merged", async () => {
    const { prompted } = serve();
    const messages = [user(text("A"), image()), user(text("B")), { role: "user", content: "C" }];
    expect(await prompted(...messages)).toEqual([
      {
        role: "user",
        content: [text("A"), mediaAt("messages.0.content.1.source.data"), text("B\nC")],
      },
    ]);
  });

  test("is accepted in a tool result, which is placed before the user message", async () => {
    const { prompted } = serve();
    const answer = user(image(), result([text("Here:"), image()]), text("What is it?"));
    expect((await prompted(...called, answer))?.slice(2)).toEqual([
      {
        role: "tool",
        toolCallId: "toolu_1",
        content: [text("Here:"), mediaAt("messages.2.content.1.content.1.source.data")],
      },
      {
        role: "user",
        content: [mediaAt("messages.2.content.0.source.data"), text("What is it?")],
      },
    ]);
  });

  test.each([
    [[image()], [text("Error: "), mediaAt("messages.2.content.0.content.0.source.data")]],
    [
      [text("It failed."), image()],
      [text("Error: It failed."), mediaAt("messages.2.content.0.content.1.source.data")],
    ],
    [
      [text("Error 7"), image()],
      [text("Error 7"), mediaAt("messages.2.content.0.content.1.source.data")],
    ],
  ])("is accepted in a tool result with is_error", async (content, expected) => {
    const { prompted } = serve();
    const messages = await prompted(...called, user(result(content, true)));
    expect(messages?.[2]?.content).toEqual(expected);
  });

  test("is included in the token count", async () => {
    const { post, engine } = serve();
    const response = await post([user(text("Hi"), image())], "/count_tokens");
    expect(response.json()).toEqual({ input_tokens: 2 });
    expect(engine.requests).toMatchObject([
      { prompt: { messages: [{ content: [text("Hi"), { content: IMAGE_FILE }] }] } },
    ]);
  });

  test("is rejected by a model without vision", async () => {
    expect(await serve([]).refusal(user(text("See"), image()))).toBe(
      "messages.0.content.1.source.data: expected text, because this model does not accept images, got an image.",
    );
  });

  test("is rejected if its data is not base64 or its URL must be fetched", async () => {
    const { refusal } = serve();
    expect(await refusal(user(image("#")))).toBe(
      "messages.0.content.0.source.data: expected base64, got something else.",
    );
    expect(await refusal(user(imageAt("https://a.example/x.png")))).toContain(
      "messages.0.content.0.source.url: expected data:TYPE;base64,CONTENT, because this server fetches nothing",
    );
  });
});
