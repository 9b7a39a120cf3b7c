import type OpenAI from "openai";
import { toFile } from "openai";
import { describe, expect, expectTypeOf, it } from "vitest";
import type {
  Transcription,
  VerboseTranscription,
} from "../../../../src/api/openai/audio/answer.js";
import type { TranscriptEvent } from "../../../../src/api/openai/audio/stream.js";
import { openAIClient } from "../../../support/openai-client.js";
import { ScriptedEngine } from "../../../support/scripted-engine.js";
import { serve } from "../../../support/serve.js";
import { ALIAS } from "../../../support/test-app.js";
import { wav } from "./wav.js";

const engine = new ScriptedEngine(
  ({ sampling }) =>
    sampling.temperature === 1
      ? { parts: ["Good"], ending: "never" }
      : { parts: ["Good", " morning."] },
  { media: ["audio"] },
);
const client = openAIClient(await serve(engine));
const speech = wav({ seconds: 0.25 });
const file = () => toFile(speech, "speech.wav");

describe("the OpenAI SDK's audio client", () => {
  it("has types compatible with the described responses", () => {
    expectTypeOf<Transcription>().toExtend<OpenAI.Audio.Transcription>();
    expectTypeOf<VerboseTranscription>().toExtend<OpenAI.Audio.TranscriptionVerbose>();
    expectTypeOf<VerboseTranscription>().toExtend<OpenAI.Audio.TranslationVerbose>();
    expectTypeOf<TranscriptEvent>().toExtend<OpenAI.Audio.TranscriptionStreamEvent>();
  });

  it("transcribes a file", async () => {
    const heard = await client.audio.transcriptions.create({
      ...{ file: await file(), model: ALIAS, language: "en", temperature: 0.2 },
    });
    expect(heard.text).toBe("Good morning.");
    expect(heard.usage).toMatchObject({ type: "tokens", output_tokens: 2 });
    const request = engine.requests.at(-1);
    expect(request?.sampling.temperature).toBe(0.2);
    expect(request?.prompt.messages[0]?.content[1]).toMatchObject({ content: { bytes: speech } });
  });

  it("translates a file", async () => {
    const options = { file: await file(), model: ALIAS, response_format: "verbose_json" } as const;
    expect(await client.audio.translations.create(options)).toMatchObject({
      text: "Good morning.",
      language: "english",
      duration: 0.25,
    });
  });

  it("receives plain text if response_format is text", async () => {
    const options = { file: await file(), model: ALIAS, response_format: "text" } as const;
    expect(await client.audio.transcriptions.create(options)).toBe("Good morning.");
  });

  it("streams a transcription", async () => {
    const stream = await client.audio.transcriptions.create({
      ...{ file: await file(), model: ALIAS, stream: true },
    });
    const events: OpenAI.Audio.TranscriptionStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events).toMatchObject([
      { type: "transcript.text.delta", delta: "Good" },
      { type: "transcript.text.delta", delta: " morning." },
      { type: "transcript.text.done", text: "Good morning." },
    ]);
  });

  it("throws errors with the field's name", async () => {
    const asked = client.audio.transcriptions.create({
      ...{ file: await file(), model: ALIAS, timestamp_granularities: ["word"] },
    });
    await expect(asked).rejects.toMatchObject({
      status: 400,
      param: "timestamp_granularities[]",
      code: "unsupported_parameter",
    });
  });

  it("frees the slot when it disconnects", async () => {
    const stream = await client.audio.transcriptions.create({
      ...{ file: await file(), model: ALIAS, stream: true, temperature: 1 },
    });
    for await (const _ of stream) stream.controller.abort();
    await expect.poll(() => engine.cancelled).toHaveLength(1);
  });
});
