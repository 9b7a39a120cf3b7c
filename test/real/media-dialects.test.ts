import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../support/generate.js";
import { serveMedia } from "../support/media-engine.js";
import { paints, png, wav } from "../support/media-files.js";
import {
  answerOf,
  audioPart,
  imagePart,
  post,
  textPart,
  userSays,
} from "../support/media-requests.js";
import { tinyModel } from "../support/random-models.js";
import { type RunningApp, runApp } from "../support/running-app.js";

const image = png(paints.rings);
const base64 = image.toString("base64");
const QUESTION = "What is it?";

const model = "scripted";
const greedy = { model, temperature: 0, max_tokens: 12 };
const weather = {
  name: "get_weather",
  description: "Get the weather of a city",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

let seeing: RunningApp;
let hearing: RunningApp;
let reading: RunningApp;
beforeAll(async () => {
  seeing = await serveMedia("qwen25vl-projector-tiny", { slots: 2 });
  hearing = await serveMedia("whisper-projector-tiny", { slots: 2 });
  reading = await runApp(await openEngine(tinyModel(), { slots: 1 }));
});
afterAll(() => Promise.all([seeing, hearing, reading].map((server) => server.close())));

interface Chat {
  readonly choices: readonly [{ readonly message: { readonly content: string } }];
  readonly usage: { readonly prompt_tokens: number };
}
interface Message {
  readonly content: readonly { readonly text?: string }[];
  readonly usage: {
    readonly input_tokens: number;
    readonly cache_read_input_tokens: number;
  };
}
interface Response {
  readonly output: readonly { readonly content?: readonly [{ readonly text: string }] }[];
  readonly usage: { readonly input_tokens: number };
}
interface OllamaChat {
  readonly message: { readonly content: string };
  readonly prompt_eval_count: number;
}
interface Completion {
  readonly content: string;
  readonly tokens_evaluated: number;
}

/** Answer in a dialect, and the length of the prompt. */
interface Told {
  readonly text: string;
  readonly promptTokens: number;
}

async function chat(messages: readonly object[], more: object = {}): Promise<Told> {
  const body = { ...greedy, messages, ...more };
  const { choices, usage } = await answerOf<Chat>(seeing.url, "/v1/chat/completions", body);
  return { text: choices[0].message.content, promptTokens: usage.prompt_tokens };
}

async function anthropic(messages: readonly object[], more: object = {}): Promise<Told> {
  const body = { ...greedy, messages, ...more };
  const { content, usage } = await answerOf<Message>(seeing.url, "/v1/messages", body);
  return {
    text: content.map(({ text = "" }) => text).join(""),
    promptTokens: usage.input_tokens + usage.cache_read_input_tokens,
  };
}

const anthropicImage = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: base64 },
};

describe("an image gets the same answer as in an OpenAI chat completion", () => {
  it("in Anthropic content blocks", async () => {
    const expected = await chat([userSays(imagePart(image), textPart(QUESTION))]);
    const content = [anthropicImage, textPart(QUESTION)];
    expect(await anthropic([{ role: "user", content }])).toEqual(expected);
  });

  it("in a tool result", async () => {
    const call = { name: weather.name, arguments: '{"city":"Oslo"}' };
    const { schema, ...named } = weather;
    const expected = await chat(
      [
        { role: "user", content: QUESTION },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "call_1", type: "function", function: call }],
        },
        { role: "tool", tool_call_id: "call_1", content: [imagePart(image)] },
      ],
      { tools: [{ type: "function", function: { ...named, parameters: schema } }] },
    );
    const told = await anthropic(
      [
        { role: "user", content: QUESTION },
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "call_1", name: weather.name, input: { city: "Oslo" } },
          ],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "call_1", content: [anthropicImage] }],
        },
      ],
      { tools: [{ ...named, input_schema: schema }] },
    );
    expect(told).toEqual(expected);
  });

  it("in the input of a Responses request", async () => {
    const expected = await chat([userSays(textPart(QUESTION), imagePart(image))], {
      max_tokens: 16,
    });
    const { output, usage } = await answerOf<Response>(seeing.url, "/v1/responses", {
      ...{ model, temperature: 0, max_output_tokens: 16 },
      input: [
        userSays(
          { type: "input_text", text: QUESTION },
          { type: "input_image", image_url: imagePart(image).image_url.url },
        ),
      ],
    });
    const text = output.map(({ content }) => content?.[0].text ?? "").join("");
    expect({ text, promptTokens: usage.input_tokens }).toEqual(expected);
  });

  it("in the images field of an Ollama request", async () => {
    const expected = await chat([userSays(imagePart(image), textPart(QUESTION))]);
    const { message, prompt_eval_count: promptTokens } = await answerOf<OllamaChat>(
      seeing.url,
      "/api/chat",
      {
        ...{ model, stream: false, options: { temperature: 0, num_predict: 12 } },
        messages: [{ role: "user", content: QUESTION, images: [base64] }],
      },
    );
    expect({ text: message.content, promptTokens }).toEqual(expected);
  });

  it("in a llama-server prompt with files", async () => {
    const messages = [userSays(textPart(QUESTION), imagePart(image))];
    const expected = await chat(messages);
    const { prompt } = await answerOf<{ readonly prompt: string }>(seeing.url, "/apply-template", {
      messages,
    });
    expect(prompt.split("<__media__>")).toHaveLength(2);
    const { content, tokens_evaluated: promptTokens } = await answerOf<Completion>(
      seeing.url,
      "/completion",
      {
        prompt: { prompt_string: prompt, multimodal_data: [base64] },
        ...{ temperature: 0, n_predict: 12 },
      },
    );
    expect({ text: content, promptTokens }).toEqual(expected);
  });
});

interface Count {
  readonly input_tokens: number;
}

describe("the token count of a prompt with media", () => {
  const content = [imagePart(png(paints.dark, { width: 90, height: 60 })), textPart(QUESTION)];

  it("equals the usage: chat completions", async () => {
    const body = { model, messages: [userSays(...content)] };
    const counted = await answerOf<Count>(seeing.url, "/v1/chat/completions/input_tokens", body);
    expect(counted.input_tokens).toBe((await chat(body.messages)).promptTokens);
  });

  it("equals the usage: messages", async () => {
    const messages = [{ role: "user", content: [anthropicImage, textPart(QUESTION)] }];
    const counted = await answerOf<Count>(seeing.url, "/v1/messages/count_tokens", {
      ...{ model, messages },
    });
    expect(counted.input_tokens).toBe((await anthropic(messages)).promptTokens);
  });

  it("equals the usage: responses", async () => {
    const input = [
      userSays(
        { type: "input_image", image_url: imagePart(image).image_url.url },
        { type: "input_text", text: QUESTION },
      ),
    ];
    const counted = await answerOf<Count>(seeing.url, "/v1/responses/input_tokens", {
      ...{ model, input },
    });
    const { usage } = await answerOf<Response>(seeing.url, "/v1/responses", {
      ...{ model, input, max_output_tokens: 16 },
    });
    expect(counted.input_tokens).toBe(usage.input_tokens);
  });
});

interface Refused {
  readonly error: { readonly message: string; readonly param: string };
}

async function refusalOf({ url }: RunningApp, ...content: readonly object[]) {
  const body = { ...greedy, messages: [userSays(...content)] };
  const response = await post(url, "/v1/chat/completions", body);
  const { error } = (await response.json()) as Refused;
  return { status: response.status, param: error.param, message: error.message };
}

describe("the supported input types of a model", () => {
  const sound = audioPart(wav({ hertz: 440, seconds: 0.1 }));

  it("restrict the accepted files", async () => {
    const field = "messages.0.content.1.image_url.url";
    for (const server of [reading, hearing]) {
      expect(await refusalOf(server, textPart(QUESTION), imagePart(image))).toEqual({
        ...{ status: 400, param: field },
        message: `${field}: expected text, because this model does not accept images, got an image.`,
      });
    }
    expect(await refusalOf(seeing, sound)).toMatchObject({
      ...{ status: 400, param: "messages.0.content.0.input_audio.data" },
      message: expect.stringContaining("does not accept audio"),
    });
  });

  it("are checked against the content of the file, not its declared type", async () => {
    const asAudio = audioPart(image);
    const asImage = imagePart(wav({ hertz: 440, seconds: 0.1 }));
    expect(await refusalOf(hearing, asAudio)).toMatchObject({ status: 400 });
    expect(await refusalOf(seeing, asImage)).toMatchObject({ status: 400 });
  });

  const told = async (path: string, { url }: RunningApp) =>
    (await (await fetch(`${url}${path}`)).json()) as object;

  it("are reported", async () => {
    const modalities = (input: readonly string[]) => ({
      data: [{ architecture: { input_modalities: ["text", ...input] } }],
    });
    expect(await told("/v1/models", seeing)).toMatchObject(modalities(["image"]));
    expect(await told("/v1/models", hearing)).toMatchObject(modalities(["audio"]));
    expect(await told("/v1/models", reading)).toMatchObject(modalities([]));
    expect(await told("/props", seeing)).toMatchObject({
      modalities: { vision: true, audio: false },
    });
    expect(await told("/props", hearing)).toMatchObject({
      modalities: { vision: false, audio: true },
    });
    const shown = ({ url }: RunningApp) =>
      answerOf<{ readonly capabilities: readonly string[] }>(url, "/api/show", { model });
    expect((await shown(seeing)).capabilities).toContain("vision");
    expect((await shown(hearing)).capabilities).toContain("audio");
    expect((await shown(reading)).capabilities).not.toContain("vision");
  });
});

it("an answer about an image satisfies a response format", async () => {
  const schema = {
    type: "object",
    properties: { what: { type: "string", maxLength: 8 }, count: { type: "integer", maximum: 9 } },
    required: ["what", "count"],
    additionalProperties: false,
  };
  const { text } = await chat([userSays(imagePart(image), textPart(QUESTION))], {
    max_tokens: 64,
    response_format: { type: "json_schema", json_schema: { name: "seen", strict: true, schema } },
  });
  expect(JSON.parse(text)).toEqual({ what: expect.any(String), count: expect.any(Number) });
});
