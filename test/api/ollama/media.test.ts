import { describe, expect, test } from "vitest";
import type { MediaKind } from "../../../src/core/media.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { AUDIO, AUDIO_FILE, IMAGE, IMAGE_FILE } from "../../support/some-media.js";
import { buildTestApp } from "../../support/test-app.js";

function serve(media: readonly MediaKind[] = ["image"]) {
  const script = () => ({ parts: ["A cat."] });
  const engine = new ScriptedEngine(script, { media, rawScript: script });
  const { app } = buildTestApp(engine);
  const post = (path: string, body: object) =>
    app.inject({ method: "POST", url: path, payload: { stream: false, ...body } });
  const prompted = async (path: string, body: object) => {
    const response = await post(path, body);
    expect(response.statusCode, response.body).toBe(200);
    return (engine.requests.at(-1) ?? engine.rawRequests.at(-1))?.prompt;
  };
  const refusal = async (path: string, body: object) => {
    const response = await post(path, body);
    expect(response.statusCode).toBe(400);
    expect([...engine.requests, ...engine.rawRequests]).toEqual([]);
    return response.json().error;
  };
  return { prompted, refusal };
}

const text = (words: string) => ({ type: "text", text: words });
const image = (field: string) => ({ type: "media", field, content: IMAGE_FILE });

describe("images of a chat message", () => {
  const call = { function: { name: "look", arguments: {} } };

  test("precede the message's text", async () => {
    const { prompted } = serve(["image", "audio"]);
    const messages = [{ role: "user", content: "What is this?", images: [IMAGE, AUDIO] }];
    expect(await prompted("/api/chat", { messages })).toMatchObject({
      messages: [
        {
          content: [
            image("messages.0.images.0"),
            { type: "media", field: "messages.0.images.1", content: AUDIO_FILE },
            text("What is this?"),
          ],
        },
      ],
    });
  });

  test("are accepted without text and in a tool result", async () => {
    const { prompted } = serve();
    const messages = [
      { role: "user", images: [IMAGE] },
      { role: "assistant", tool_calls: [call] },
      { role: "tool", content: "Here.", images: [IMAGE] },
    ];
    expect(await prompted("/api/chat", { messages })).toMatchObject({
      messages: [
        { content: [image("messages.0.images.0")] },
        { role: "assistant" },
        { role: "tool", content: [image("messages.2.images.0"), text("Here.")] },
      ],
    });
  });

  test.each(["system", "assistant"])("are rejected in a message of the role %s", async (role) => {
    const messages = [
      { role, content: "Hm.", images: [IMAGE] },
      { role: "user", content: "Hi" },
    ];
    expect(await serve().refusal("/api/chat", { messages })).toBe(
      `messages.0.images: expected none in a message of the role ${role}, got 1.`,
    );
  });

  test("are rejected by a text-only model, or if not base64", async () => {
    const chat = (data: string) => ({ messages: [{ role: "user", images: [data] }] });
    expect(await serve([]).refusal("/api/chat", chat(IMAGE))).toBe(
      "messages.0.images.0: expected text, because this model reads nothing else, got a file.",
    );
    expect(await serve().refusal("/api/chat", chat("#"))).toBe(
      "messages.0.images.0: expected base64, got something else.",
    );
  });
});

describe("images of /api/generate", () => {
  test("precede the prompt", async () => {
    const { prompted } = serve();
    expect(await prompted("/api/generate", { prompt: "Well?", images: [IMAGE] })).toMatchObject({
      messages: [{ role: "user", content: [image("images.0"), text("Well?")] }],
    });
  });

  test("replace the image markers of a raw prompt", async () => {
    const { prompted } = serve();
    const body = { raw: true, prompt: "A[img-1]B [img-7] C[img-0]", images: [IMAGE, IMAGE] };
    expect(await prompted("/api/generate", body)).toEqual({
      type: "media",
      parts: [text("A"), image("images.1"), text("B [img-7] C"), image("images.0")],
    });
  });

  test("are rejected if a raw prompt has no marker for one of them, or with a suffix", async () => {
    const { refusal } = serve();
    const images = [IMAGE, IMAGE];
    expect(await refusal("/api/generate", { raw: true, prompt: "[img-0]", images })).toBe(
      "images.1: expected the marker [img-1] of this image in prompt.",
    );
    expect(await refusal("/api/generate", { prompt: "a", suffix: "b", images })).toBe(
      "images: expected no value in addition to suffix, which bypasses the chat template.",
    );
  });
});
