import { MockAgent } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import type { MediaKind } from "../../../src/core/media.js";
import { MediaFetcher } from "../../../src/media/media-fetcher.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import {
  AUDIO,
  AUDIO_FILE,
  fileOf,
  IMAGE,
  IMAGE_FILE,
  IMAGE_URL,
} from "../../support/some-media.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

interface Server extends TestAppOptions {
  readonly media?: readonly MediaKind[];
}

function serve({ media = ["image", "audio"], ...options }: Server = {}) {
  const engine = new ScriptedEngine(() => ({ parts: ["A cat."] }), { media });
  const { app } = buildTestApp(engine, options);
  const post = (messages: readonly object[], path = "") =>
    app.inject({ method: "POST", url: `/v1/chat/completions${path}`, payload: { messages } });
  const contents = async (messages: readonly object[]) => {
    const { statusCode, body } = await post(messages);
    expect(statusCode, body).toBe(200);
    return engine.requests.at(-1)?.prompt.messages.map(({ content }) => content);
  };
  const refusal = async (content: readonly object[]) => {
    const response = await post([user(...content)]);
    expect(response.statusCode).toBe(400);
    expect(engine.requests).toEqual([]);
    const { code, param, message } = response.json().error;
    expect(code).toBe("invalid_request");
    expect(message.startsWith(`${param}: `)).toBe(true);
    return message;
  };
  return { engine, post, contents, refusal };
}

const user = (...content: readonly object[]) => ({ role: "user", content });
const text = (words: string) => ({ type: "text", text: words });
const image = (url = IMAGE_URL, detail?: string) => ({
  type: "image_url",
  image_url: { url, detail },
});
const audio = (input_audio: object = { data: AUDIO, format: "wav" }) => ({
  type: "input_audio",
  input_audio,
});

const FIELD = "messages.0.content.0.image_url.url";

describe("an image in a chat message", () => {
  test("keeps its position between text parts", async () => {
    const { contents } = serve();
    const content = [text("What"), text("is"), image(), text("this?")];
    expect(await contents([user(...content)])).toEqual([
      [
        text("What\nis"),
        {
          type: "media",
          kind: "image",
          field: "messages.0.content.2.image_url.url",
          content: IMAGE_FILE,
        },
        text("this?"),
      ],
    ]);
  });

  test.each([
    ["a data URL", image()],
    ["base64 without a data URL", image(IMAGE)],
    ["an image with a detail level", image(IMAGE_URL, "high")],
  ])("may be %s", async (_, part) => {
    const { contents } = serve();
    expect(await contents([user(part)])).toMatchObject([[{ kind: "image", content: IMAGE_FILE }]]);
  });

  test("is accepted in a tool result", async () => {
    const { contents } = serve();
    const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
    const messages = [
      { role: "user", content: "Look." },
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: [text("Here:"), image()] },
    ];
    expect(await contents(messages)).toMatchObject([
      "Look.",
      "",
      [text("Here:"), { field: "messages.2.content.1.image_url.url", content: IMAGE_FILE }],
    ]);
  });

  test("is included in the token count", async () => {
    const { post, engine } = serve();
    const response = await post([user(text("Hi"), image())], "/input_tokens");
    expect(response.json()).toMatchObject({ input_tokens: 2 });
    expect(engine.requests).toMatchObject([
      { prompt: { messages: [{ content: [text("Hi"), { content: IMAGE_FILE }] }] } },
    ]);
  });

  test.each([
    [
      "has an unknown scheme",
      "ftp://a.example/x",
      "expected data:TYPE;base64,CONTENT, because this server fetches nothing (--media-fetch)",
    ],
    ["is not base64", "data:image/png;base64,#", "expected base64, got something else"],
    ["is a data URL without base64", "data:image/png,x", "expected data:TYPE;base64,CONTENT"],
    ["has no data", "data:image/png;base64,", "expected a file, got nothing"],
    ["is too large", "A".repeat(4000), "expected at most 1000 bytes, got 3000"],
  ])("is rejected if its URL %s", async (_, url, reason) => {
    expect(await serve().refusal([image(url)])).toContain(`${FIELD}: ${reason}`);
  });
});

describe("an image with a remote URL", () => {
  function internet() {
    const agent = new MockAgent();
    agent.disableNetConnect();
    onTestFinished(() => agent.close());
    const limits = { hosts: ["a.example"], maxBytes: 100, limitMs: 5000 };
    return { agent, fetcher: new MediaFetcher(limits, agent) };
  }

  test("is rejected unless fetching is enabled", async () => {
    expect(await serve().refusal([image("https://a.example/x.png")])).toBe(
      `${FIELD}: expected data:TYPE;base64,CONTENT, because this server fetches nothing (--media-fetch), got "https://a.example/x.png".`,
    );
  });

  test("is fetched from an allowed host", async () => {
    const { agent, fetcher } = internet();
    agent.get("https://a.example").intercept({ path: "/x.png" }).reply(200, "a picture");
    const { contents } = serve({ fetcher });
    expect(await contents([user(image("https://a.example/x.png"))])).toMatchObject([
      [{ content: fileOf("a picture") }],
    ]);
  });

  test("is rejected from another host or with another scheme", async () => {
    const { fetcher } = internet();
    expect(await serve({ fetcher }).refusal([image("https://b.example/x.png")])).toContain(
      `${FIELD}: expected a host that this server may fetch from, got "b.example"`,
    );
    expect(await serve({ fetcher }).refusal([image("file:///etc/passwd")])).toContain(
      'expected an https or data URL, got "file:"',
    );
  });

  test("is not fetched for a model without vision or an invalid request", async () => {
    const { fetcher } = internet();
    const blind = serve({ fetcher, media: ["audio"] });
    const url = "https://a.example/x.png";
    expect(await blind.refusal([image(url)])).toContain("does not accept images");
    expect(await serve({ fetcher }).refusal([image(url), image("#")])).toContain("expected base64");
  });
});

describe("audio in a chat message", () => {
  test.each([
    ["data", audio()],
    ["url", audio({ url: `data:audio/wav;base64,${AUDIO}` })],
  ])("is accepted in the field %s", async (name, part) => {
    const { contents } = serve();
    expect(await contents([user(part, text("What is said?"))])).toEqual([
      [
        {
          type: "media",
          kind: "audio",
          field: `messages.0.content.0.input_audio.${name}`,
          content: AUDIO_FILE,
        },
        text("What is said?"),
      ],
    ]);
  });

  test.each([{}, { data: AUDIO, url: AUDIO }])(
    "must be given in exactly one of two fields: %j",
    async (input) => {
      expect(await serve().refusal([audio(input)])).toContain(
        "messages.0.content.0.input_audio.data: expected a string here or in url, and not in both",
      );
    },
  );
});

describe("a model", () => {
  test.each<[readonly MediaKind[], object, string]>([
    [
      [],
      image(),
      `${FIELD}: expected text, because this model does not accept images, got an image.`,
    ],
    [["audio"], image(), "does not accept images"],
    [
      ["image"],
      audio(),
      "messages.0.content.0.input_audio.data: expected text, because this model does not accept audio, got audio.",
    ],
  ])("with input modalities %j rejects other media", async (media, part, message) => {
    expect(await serve({ media }).refusal([part])).toContain(message);
  });
});

describe("a chat completion request", () => {
  test("is limited in its number of images", async () => {
    const { refusal, contents } = serve({ mediaLimits: { files: 2 } });
    expect(await refusal([image(), image(), image()])).toBe(
      "messages.0.content.2.image_url.url: expected at most 2 images and pieces of audio, got 3.",
    );
    expect(await contents([user(image(), image())])).toHaveLength(1);
  });

  test("is limited in the total size of its images", async () => {
    const { refusal } = serve({ mediaLimits: { totalBytes: 12 } });
    expect(await refusal([image(), image()])).toBe(
      "messages.0.content.1.image_url.url: expected at most 12 bytes of images and audio, got 16 so far.",
    );
  });
});

describe("GET /v1/models", () => {
  test("lists the model's input modalities", async () => {
    const engine = new ScriptedEngine(() => ({ parts: [] }), { media: ["image", "audio"] });
    const { app } = buildTestApp(engine);
    const [model] = (await app.inject({ url: "/v1/models" })).json().data;
    expect(model).toMatchObject({
      architecture: { input_modalities: ["text", "image", "audio"], output_modalities: ["text"] },
      capabilities: ["completion", "tools", "structured_output", "vision", "audio"],
    });
  });
});
