import { createHash } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import type { ChatMessage } from "../../../../src/core/generation-request.js";
import { type FieldValue, formPayload } from "../../../support/form-payload.js";
import { type Script, ScriptedEngine } from "../../../support/scripted-engine.js";
import { eventData, eventJson } from "../../../support/server-sent-events.js";
import { ALIAS, buildTestApp, type TestAppOptions } from "../../../support/test-app.js";
import { wav } from "./wav.js";

const TRANSCRIPTIONS = "/v1/audio/transcriptions";
const TRANSLATIONS = "/v1/audio/translations";

const speech = wav({ seconds: 0.5 });
const file = new Blob([speech]);
const heard = {
  type: "media",
  kind: "audio",
  field: "file",
  content: {
    type: "file",
    bytes: speech,
    hash: createHash("sha256").update(speech).digest("hex"),
  },
};

const SAID: Script = { parts: [{ reasoning: "Hm." }, "Good", " morning."] };

function appWith({
  script = SAID,
  ...options
}: { readonly script?: Script } & TestAppOptions = {}) {
  const engine = new ScriptedEngine(() => script, { media: ["audio"] });
  const { app } = buildTestApp(engine, options);
  const send = async (fields: Readonly<Record<string, FieldValue>>, url = TRANSCRIPTIONS) =>
    app.inject({ method: "POST", url, ...(await formPayload(fields)) });
  return { app, engine, send };
}

async function messagesFor(
  fields: Readonly<Record<string, FieldValue>>,
  url?: string,
): Promise<readonly ChatMessage[] | undefined> {
  const { engine, send } = appWith();
  expect((await send({ file, ...fields }, url)).statusCode).toBe(200);
  return engine.requests[0]?.prompt.messages;
}

describe("the engine request of a transcription", () => {
  test.each<[Readonly<Record<string, FieldValue>>, string, string]>([
    [{}, TRANSCRIPTIONS, "Transcribe audio to text"],
    [{ language: "de" }, TRANSCRIPTIONS, "Transcribe audio to text (language: de)"],
    [{ language: "", prompt: "" }, TRANSCRIPTIONS, "Transcribe audio to text"],
    [{ prompt: "Listen." }, TRANSCRIPTIONS, "Listen."],
    [{ prompt: "Listen.", language: "pt-BR" }, TRANSCRIPTIONS, "Listen. (language: pt-BR)"],
    [{}, TRANSLATIONS, "Translate audio to English text"],
    [{ language: "de" }, TRANSLATIONS, "Translate audio to English text (spoken language: de)"],
    [{ prompt: "Listen." }, TRANSLATIONS, "Listen."],
  ])("has an instruction before the audio: %j at %s", async (fields, url, text) => {
    expect(await messagesFor(fields, url)).toEqual([
      { role: "user", content: [{ type: "text", text }, heard] },
    ]);
  });

  it("has the prompt that the model family was trained with", async () => {
    const { engine, send } = appWith();
    const { model } = engine.description;
    Object.assign(model, { chatTemplate: "<|tool_list_start|>{{ tools }}<|tool_list_end|>" });
    await send({ file });
    expect(engine.requests[0]?.prompt.messages).toEqual([
      { role: "system", content: "Perform ASR." },
      { role: "user", content: [heard] },
    ]);
  });

  test.each<[Readonly<Record<string, FieldValue>>, number]>([
    [{}, 0],
    [{ temperature: "0.4" }, 0.4],
    [{ temperature: "1e-1" }, 0.1],
  ])("has the requested temperature: %j", async (fields, temperature) => {
    const { engine, send } = appWith();
    await send({ file, ...fields });
    expect(engine.requests[0]?.sampling).toEqual({ temperature });
  });
});

describe("an audio response", () => {
  it.each([TRANSCRIPTIONS, TRANSLATIONS])("is JSON: %s", async (url) => {
    for (const response_format of ["", "json"]) {
      const response = await appWith().send({ file, model: ALIAS, response_format }, url);
      expect(response.json()).toEqual({
        text: "Good morning.",
        usage: {
          type: "tokens",
          input_tokens: expect.any(Number),
          output_tokens: 3,
          total_tokens: response.json().usage.input_tokens + 3,
          input_tokens_details: { cached_tokens: 1 },
        },
      });
    }
  });

  it("is plain text if response_format is text", async () => {
    const { headers, body } = await appWith().send({ file, response_format: "text" });
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(body).toBe("Good morning.");
  });

  test.each([
    [TRANSCRIPTIONS, { language: "de" }, { task: "transcribe", language: "de" }],
    [TRANSCRIPTIONS, {}, { task: "transcribe", language: "" }],
    [TRANSLATIONS, {}, { task: "translate", language: "english" }],
  ])("has metadata if response_format is verbose_json: %s %j", async (url, fields, told) => {
    const response = await appWith().send(
      { file, response_format: "verbose_json", ...fields },
      url,
    );
    expect(response.json()).toEqual({
      ...told,
      duration: 0.5,
      text: "Good morning.",
      segments: [],
    });
  });

  it("omits the duration of a file that is not WAV", async () => {
    const mp3 = new Blob(["ID3"]);
    const response = await appWith().send({ file: mp3, response_format: "verbose_json" });
    expect(response.json().duration).toBe(0);
  });

  it.each([TRANSCRIPTIONS, TRANSLATIONS])("is streamed if stream is true: %s", async (url) => {
    const response = await appWith().send({ file, stream: "true", response_format: "text" }, url);
    expect(response.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(eventData(response.body).at(-1)).toBe("[DONE]");
    const events = eventJson<{ readonly usage?: object }>(response.body);
    expect(events).toEqual([
      { type: "transcript.text.delta", delta: "Good" },
      { type: "transcript.text.delta", delta: " morning." },
      { type: "transcript.text.done", text: "Good morning.", usage: events.at(-1)?.usage },
    ]);
    expect(events.at(-1)?.usage).toMatchObject({ type: "tokens", output_tokens: 3 });
  });
});

test.each<[Readonly<Record<string, FieldValue>>, string, string]>([
  [{}, "file", "file: expected a file, got nothing."],
  [{ file: "a.wav" }, "file", 'file: expected a file, got "a.wav".'],
  [
    { file, response_format: "srt" },
    "response_format",
    'response_format: expected one of json, text, verbose_json, because models return neither timestamps nor speakers, got "srt".',
  ],
  [
    { file, response_format: "verbose_json", stream: "true" },
    "response_format",
    'response_format: expected json or text, because stream is true, got "verbose_json".',
  ],
  [
    { file, temperature: "warm" },
    "temperature",
    'temperature: expected a number from 0 to 2, got "warm".',
  ],
  [
    { file, temperature: "2.5" },
    "temperature",
    'temperature: expected a number from 0 to 2, got "2.5".',
  ],
  [{ file, stream: "yes" }, "stream", 'stream: expected true or false, got "yes".'],
  [
    { file, language: "English" },
    "language",
    `language: expected an ISO 639 language code, such as en, got "English".`,
  ],
  [{ file, prompt: ["a", "b"] }, "prompt", 'prompt: expected one value, got ["a","b"].'],
])("an invalid form field is rejected with its name: %j", async (fields, param, message) => {
  const response = await appWith().send(fields);
  expect(response.statusCode).toBe(400);
  expect(response.json().error).toMatchObject({ code: "invalid_request", param, message });
});

test.each<[string, FieldValue]>([
  ["timestamp_granularities[]", "word"],
  ["timestamp_granularities[]", ["word", "segment"]],
  ["include[]", "logprobs"],
  ["chunking_strategy", "auto"],
  ["known_speaker_names[]", "agent"],
])("an unsupported form field is rejected: %s", async (field, value) => {
  const { statusCode, body } = await appWith().send({ file, [field]: value });
  expect(statusCode).toBe(400);
  expect(JSON.parse(body).error).toMatchObject({ code: "unsupported_parameter", param: field });
});

it("an unknown form field is ignored", async () => {
  const { statusCode } = await appWith().send({ file, hotwords: "ggufd" });
  expect(statusCode).toBe(200);
});

test.each([undefined, ["image"] as const])(
  "a model without audio input is rejected, with the input modalities %j",
  async (media) => {
    const engine = new ScriptedEngine(() => SAID, media && { media });
    const { app } = buildTestApp(engine);
    for (const stream of ["true", "false"]) {
      const form = await formPayload({ file, stream });
      const response = await app.inject({ method: "POST", url: TRANSCRIPTIONS, ...form });
      expect(response.statusCode).toBe(400);
      expect(response.json().error).toMatchObject({
        param: "model",
        message: "model: expected a model with audio input, got `scripted`.",
      });
    }
    expect(engine.requests).toEqual([]);
  },
);

it("an unknown model returns 404", async () => {
  expect((await appWith().send({ file, model: "whisper-1" })).statusCode).toBe(404);
});

it("a body that is not multipart/form-data is rejected", async () => {
  const { app } = appWith();
  const response = await app.inject({ method: "POST", url: TRANSCRIPTIONS, payload: {} });
  expect(response.statusCode).toBe(415);
  expect(response.json().error.message).toBe(
    "content-type: expected multipart/form-data, got application/json.",
  );
});

it("a file may exceed --max-body, up to --max-media-file", async () => {
  const { send } = appWith({ edge: { maxBody: 1, maxMediaFile: 2 } });
  const ofBytes = (bytes: number) => send({ file: new Blob([Buffer.alloc(bytes)]) });
  expect((await ofBytes(2 ** 21)).statusCode).toBe(200);
  const response = await ofBytes(2 ** 21 + 1);
  expect(response.statusCode).toBe(413);
  expect(response.json().error.message).toBe("file: expected at most 2097152 bytes, got more.");
});

it("a key requires the scope inference", async () => {
  const { app, send } = appWith({ keyLines: ["a-key name=alice scopes=todos"] });
  expect((await send({ file })).statusCode).toBe(401);
  const { headers, payload } = await formPayload({ file });
  const authorization = "Bearer a-key";
  const response = await app.inject({
    ...{ method: "POST", url: TRANSCRIPTIONS, payload },
    headers: { ...headers, authorization },
  });
  expect(response.statusCode).toBe(403);
});
