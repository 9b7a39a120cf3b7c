import Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveMedia } from "../support/media-engine.js";
import { paints, png, wav } from "../support/media-files.js";
import { audioPart, imagePart, textPart } from "../support/media-requests.js";
import { openAIClient } from "../support/openai-client.js";
import type { RunningApp } from "../support/running-app.js";

const model = "scripted";
const image = png(paints.reds);
const sound = wav({ hertz: 440 });

let seeing: RunningApp;
let hearing: RunningApp;
beforeAll(async () => {
  seeing = await serveMedia("gemma3-projector-tiny", { slots: 2 });
  hearing = await serveMedia("whisper-projector-tiny", { slots: 2 });
});
afterAll(() => Promise.all([seeing.close(), hearing.close()]));

describe("the OpenAI SDK", () => {
  const asked = (content: OpenAI.ChatCompletionContentPart[]) => ({
    ...{ model, max_tokens: 8, temperature: 0 },
    messages: [{ role: "user" as const, content }],
  });

  it("sends images, with the same answer with and without streaming", async () => {
    const client = openAIClient(seeing);
    const request = asked([textPart("What is it?"), imagePart(image)]);
    const whole = await client.chat.completions.create(request);
    const streamed = await client.chat.completions.stream(request).finalChatCompletion();
    expect(whole.choices[0]?.message.content).not.toBe("");
    expect(streamed.choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
  });

  it("sends images to the Responses API", async () => {
    const { url } = imagePart(image).image_url;
    const response = await openAIClient(seeing).responses.create({
      ...{ model, max_output_tokens: 16, temperature: 0 },
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "What is it?" },
            { type: "input_image", image_url: url, detail: "auto" },
          ],
        },
      ],
    });
    expect(response.output_text).not.toBe("");
  });

  it("sends audio", async () => {
    const answer = await openAIClient(hearing).chat.completions.create(asked([audioPart(sound)]));
    expect(answer.choices[0]?.message.content).not.toBe("");
  });

  it("transcribes audio with the same answer as a chat, with and without streaming", async () => {
    const client = openAIClient(hearing);
    const file = () => toFile(sound, "a-tone.wav");
    const heard = await client.audio.transcriptions.create({ model, file: await file() });
    const stream = await client.audio.transcriptions.create({
      ...{ model, file: await file(), stream: true },
    });
    const events: OpenAI.Audio.TranscriptionStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: "transcript.text.done", text: heard.text });
    const chat = await client.chat.completions.create({
      ...asked([textPart("Transcribe audio to text"), audioPart(sound)]),
      max_tokens: null,
    });
    expect(chat.choices[0]?.message.content).toBe(heard.text);
    const verbose = await client.audio.transcriptions.create({
      ...{ model, file: await file(), response_format: "verbose_json" },
    });
    expect(verbose).toMatchObject({ text: heard.text, duration: 0.5 });
  });

  it("reports the index of an invalid file", async () => {
    const file = await toFile(Buffer.from("no sound"), "a-tone.wav");
    const asking = openAIClient(hearing).audio.transcriptions.create({ model, file });
    await expect(asking).rejects.toMatchObject({ status: 400, param: "file" });
  });
});

describe("the Anthropic SDK", () => {
  it("sends images, and counts their tokens", async () => {
    const client = new Anthropic({ baseURL: seeing.url, apiKey: "none", maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [
      {
        role: "user",
        content: [
          {
            type: "image",
            source: { type: "base64", media_type: "image/png", data: image.toString("base64") },
          },
          textPart("What is it?"),
        ],
      },
    ];
    const request = { model, messages, max_tokens: 8 };
    const { usage, content } = await client.messages.create(request);
    expect(content[0]).toMatchObject({ type: "text", text: expect.stringMatching(/./s) });
    const counted = await client.messages.countTokens({ model, messages });
    expect(counted.input_tokens).toBe(usage.input_tokens + (usage.cache_read_input_tokens ?? 0));
  });
});
