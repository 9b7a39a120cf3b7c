import { describe, expect, test } from "vitest";
import type { MediaKind } from "../../../src/core/media.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { IMAGE, IMAGE_FILE, IMAGE_URL } from "../../support/some-media.js";
import { buildTestApp } from "../../support/test-app.js";

function serve(media: readonly MediaKind[] = ["image"]) {
  const script = () => ({ parts: ["A cat."] });
  const engine = new ScriptedEngine(script, { media, rawScript: script });
  const { app } = buildTestApp(engine);
  const post = (url: string, payload: object) => app.inject({ method: "POST", url, payload });
  const complete = (prompt: unknown) => post("/completion", { prompt });
  const refusal = async (prompt: unknown) => {
    const response = await complete(prompt);
    expect(response.statusCode).toBe(400);
    expect(engine.rawRequests).toEqual([]);
    return response.json().error.message;
  };
  return { app, engine, post, complete, refusal };
}

const text = (words: string) => ({ type: "text", text: words });
const image = (field: string) => ({ type: "media", field, content: IMAGE_FILE });

describe("media files of a completion prompt", () => {
  test("replace the media markers, which the response echoes", async () => {
    const { complete, engine } = serve();
    const prompt = {
      prompt_string: "<__media__>A<__media__><__media__>B",
      multimodal_data: [IMAGE, IMAGE, IMAGE],
    };
    const response = await complete(prompt);
    expect(response.json()).toMatchObject({
      content: "A cat.",
      prompt: "<s><__media__>A<__media__><__media__>B",
    });
    expect(engine.rawRequests[0]?.prompt).toEqual({
      type: "media",
      field: "prompt",
      parts: [
        image("prompt.multimodal_data.0"),
        text("A"),
        image("prompt.multimodal_data.1"),
        image("prompt.multimodal_data.2"),
        text("B"),
      ],
    });
  });

  test("are accepted in one of several prompts", async () => {
    const { complete, engine } = serve();
    const prompt = { prompt_string: "See <__media__>", multimodal_data: [IMAGE] };
    expect((await complete(["A", prompt])).statusCode).toBe(200);
    expect(engine.rawRequests.map((request) => request.prompt)).toEqual([
      { type: "text", text: "A", field: "prompt.0" },
      {
        type: "media",
        field: "prompt.1",
        parts: [text("See "), image("prompt.1.multimodal_data.0")],
      },
    ]);
  });

  test.each([
    ["<__media__>", 1],
    ["None", 0],
  ])("are rejected if the number of markers differs: %s", async (prompt_string, markers) => {
    const prompt = { prompt_string, multimodal_data: [IMAGE, IMAGE] };
    expect(await serve().refusal(prompt)).toBe(
      `prompt.multimodal_data: expected as many files as markers <__media__> in prompt_string (${markers}), got 2.`,
    );
  });

  test("are rejected by a text-only model, or if not base64", async () => {
    const prompt = (data: string) => ({ prompt_string: "<__media__>", multimodal_data: [data] });
    expect(await serve([]).refusal(prompt(IMAGE))).toBe(
      "prompt.multimodal_data.0: expected text, because this model reads nothing else, got a file.",
    );
    expect(await serve().refusal(prompt("#"))).toBe(
      "prompt.multimodal_data.0: expected base64, got something else.",
    );
  });
});

describe("POST /apply-template", () => {
  const messages = [
    {
      role: "user",
      content: [
        { type: "text", text: "Hi" },
        { type: "image_url", image_url: { url: IMAGE_URL } },
      ],
    },
  ];

  test("accepts images without decoding them", async () => {
    const { post } = serve();
    const response = await post("/apply-template", { messages });
    expect(response.statusCode, response.body).toBe(200);
  });

  test("rejects images for a model without vision", async () => {
    const response = await serve([]).post("/apply-template", { messages });
    expect(response.json().error.message).toContain("this model does not accept images");
  });
});

describe("GET /props", () => {
  test.each<[readonly MediaKind[], object]>([
    [["image"], { vision: true, video: false, audio: false }],
    [["audio"], { vision: false, video: false, audio: true }],
  ])("reports the modalities of a model with %j input", async (media, modalities) => {
    const response = await serve(media).app.inject({ url: "/props" });
    expect(response.json()).toMatchObject({ modalities, media_marker: "<__media__>" });
  });
});
