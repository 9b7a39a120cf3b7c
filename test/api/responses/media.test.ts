import { describe, expect, test } from "vitest";
import type { MediaKind } from "../../../src/core/media.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { AUDIO, AUDIO_FILE, fileOf, IMAGE_FILE, IMAGE_URL } from "../../support/some-media.js";
import { buildTestApp } from "../../support/test-app.js";

function serve(media: readonly MediaKind[] = ["image"]) {
  const engine = new ScriptedEngine(() => ({ parts: ["A cat."] }), { media, contextSize: 40 });
  const { app } = buildTestApp(engine);
  const post = async (payload: object, path = "") => {
    const response = await app.inject({ method: "POST", url: `/v1/responses${path}`, payload });
    return response.json();
  };
  const get = async (path: string) => (await app.inject({ url: `/v1/responses/${path}` })).json();
  const contents = () => engine.requests.at(-1)?.prompt.messages.map(({ content }) => content);
  return { engine, post, get, contents };
}

const text = (words: string) => ({ type: "input_text", text: words });
const image = (url = IMAGE_URL) => ({ type: "input_image", image_url: url });
const user = (...content: readonly object[]) => ({ role: "user", content });
const textPart = (words: string) => ({ type: "text", text: words });
const imagePart = (field: string, content: object = IMAGE_FILE) => ({
  type: "media",
  kind: "image",
  field,
  content,
});

const audio = (input_audio: object) => ({ type: "input_audio", input_audio });
const audioPart = (field: string) => ({ ...imagePart(field, AUDIO_FILE), kind: "audio" });

describe("audio in the Responses API", () => {
  test.each([
    [{ data: AUDIO, format: "wav" }, "data"],
    [{ data: AUDIO, format: "ogg" }, "data"],
    [{ url: `data:audio/wav;base64,${AUDIO}` }, "url"],
  ])("is part of a user message: %j", async (source, name) => {
    const { post, contents } = serve(["audio"]);
    const input = [user(text("What"), audio(source), text("is this?"))];
    expect(await post({ input })).toMatchObject({ status: "completed" });
    expect(contents()).toEqual([
      [textPart("What"), audioPart(`input.0.content.1.input_audio.${name}`), textPart("is this?")],
    ]);
  });

  test("is accepted in a function call's output", async () => {
    const { post, contents } = serve(["audio"]);
    const input = [
      { type: "function_call", call_id: "1", name: "listen", arguments: "{}" },
      { type: "function_call_output", call_id: "1", output: [audio({ data: AUDIO })] },
    ];
    expect(await post({ input })).toMatchObject({ status: "completed" });
    expect(contents()?.[1]).toEqual([audioPart("input.1.output.0.input_audio.data")]);
  });

  test("is stored as it was sent, and included when the response is continued", async () => {
    const { post, get, contents } = serve(["audio"]);
    const sent = audio({ data: AUDIO, format: "wav" });
    const { id } = await post({ input: [user(sent)] });
    expect(await get(`${id}/input_items`)).toMatchObject({ data: [{ content: [sent] }] });
    await post({ previous_response_id: id, input: "And now?" });
    expect(contents()).toEqual([[audioPart("previous_response_id")], "A cat.", "And now?"]);
  });

  test("is rejected by a model without audio input", async () => {
    const { error } = await serve(["image"]).post({ input: [user(audio({ data: AUDIO }))] });
    expect(error).toMatchObject({
      ...{ code: "invalid_request", param: "input.0.content.0.input_audio.data" },
      message: expect.stringContaining("because this model does not accept audio"),
    });
  });
});

describe("an image in the Responses API", () => {
  test("keeps its position between texts", async () => {
    const { post, contents } = serve();
    const input = [user(text("What"), text("is"), { ...image(), detail: "low" }, text("this?"))];
    expect(await post({ input })).toMatchObject({ status: "completed" });
    expect(contents()).toEqual([
      [textPart("What\nis"), imagePart("input.0.content.2.image_url"), textPart("this?")],
    ]);
  });

  test("is accepted in a function call's output", async () => {
    const { post, contents } = serve();
    const input = [
      { type: "function_call", call_id: "1", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "1", output: [image(), text("Here.")] },
    ];
    expect(await post({ input })).toMatchObject({ status: "completed" });
    expect(contents()?.[1]).toEqual([imagePart("input.1.output.0.image_url"), textPart("Here.")]);
  });

  test("is stored with the response and included when the response is continued", async () => {
    const { post, get, contents } = serve();
    const { id } = await post({ input: [user(image())] });
    expect(await get(`${id}/input_items`)).toMatchObject({
      data: [{ content: [{ type: "input_image", image_url: IMAGE_URL, detail: "auto" }] }],
    });
    await post({ previous_response_id: id, input: "And now?" });
    expect(contents()).toEqual([[imagePart("previous_response_id")], "A cat.", "And now?"]);
  });

  test("is included in the token count", async () => {
    const { post, contents } = serve();
    const counted = await post({ input: [user(text("Hi"), image())] }, "/input_tokens");
    expect(counted).toMatchObject({ input_tokens: 2 });
    expect(contents()).toEqual([[textPart("Hi"), imagePart("input.0.content.1.image_url")]]);
  });

  test("is included after the conversation is truncated", async () => {
    const { post, contents } = serve();
    const input = [user(text("x".repeat(50))), user(text("Hi"), image())];
    expect(await post({ input, truncation: "auto" })).toMatchObject({ status: "completed" });
    expect(contents()).toEqual([[textPart("Hi"), imagePart("input.0.content.1.image_url")]]);
  });

  test("is accepted along with other images", async () => {
    const { post, contents } = serve();
    const other = `data:image/jpeg;base64,${Buffer.from("another").toString("base64")}`;
    await post({ input: [user(image(), image(other))] });
    expect(contents()).toEqual([
      [
        imagePart("input.0.content.0.image_url"),
        imagePart("input.0.content.1.image_url", fileOf("another")),
      ],
    ]);
  });

  test.each([
    [[], image(), "because this model does not accept images"],
    [["image"], image("https://a.example/x.png"), "because this server fetches nothing"],
    [["image"], image("data:image/png;base64,#"), "expected base64"],
  ] as const)(
    "is rejected by a model with input modalities %j: %j",
    async (media, part, reason) => {
      const { error } = await serve(media).post({ input: [user(part)] });
      expect(error).toMatchObject({
        ...{ code: "invalid_request", param: "input.0.content.0.image_url" },
        message: expect.stringContaining(reason),
      });
    },
  );
});
