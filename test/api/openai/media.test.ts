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

describe("an image of a chat", () => {
  test("is a part of its message, at its position between the texts", async () => {
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
    ["base64 alone", image(IMAGE)],
    ["with a detail", image(IMAGE_URL, "high")],
  ])("may be %s", async (_, part) => {
    const { contents } = serve();
    expect(await contents([user(part)])).toMatchObject([[{ kind: "image", content: IMAGE_FILE }]]);
  });

  test("may be in a tool's result", async () => {
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

  test("counts where tokens are counted", async () => {
    const { post, engine } = serve();
    const response = await post([user(text("Hi"), image())], "/input_tokens");
    expect(response.json()).toMatchObject({ input_tokens: 2 });
    expect(engine.requests).toMatchObject([
      { prompt: { messages: [{ content: [text("Hi"), { content: IMAGE_FILE }] }] } },
    ]);
  });

  test.each([
    [
      "without a scheme that is known",
      "ftp://a.example/x",
      "expected data:TYPE;base64,CONTENT, because this server fetches nothing (--media-fetch)",
    ],
    ["that is no base64", "data:image/png;base64,#", "expected base64, got something else"],
    ["that is a data URL of text", "data:image/png,x", "expected data:TYPE;base64,CONTENT"],
    ["that is empty", "data:image/png;base64,", "expected a file, got nothing"],
    ["that is too large", "A".repeat(4000), "expected at most 1000 bytes, got 3000"],
  ])("is refused with a URL %s", async (_, url, reason) => {
    expect(await serve().refusal([image(url)])).toContain(`${FIELD}: ${reason}`);
  });
});

describe("an image of the internet", () => {
  function internet() {
    const agent = new MockAgent();
    agent.disableNetConnect();
    onTestFinished(() => agent.close());
    const limits = { hosts: ["a.example"], maxBytes: 100, limitMs: 5000 };
    return { agent, fetcher: new MediaFetcher(limits, agent) };
  }

  test("is not fetched by a server that fetches nothing", async () => {
    expect(await serve().refusal([image("https://a.example/x.png")])).toBe(
      `${FIELD}: expected data:TYPE;base64,CONTENT, because this server fetches nothing (--media-fetch), got "https://a.example/x.png".`,
    );
  });

  test("is fetched if an operator allows it", async () => {
    const { agent, fetcher } = internet();
    agent.get("https://a.example").intercept({ path: "/x.png" }).reply(200, "a picture");
    const { contents } = serve({ fetcher });
    expect(await contents([user(image("https://a.example/x.png"))])).toMatchObject([
      [{ content: fileOf("a picture") }],
    ]);
  });

  test("is refused from another host, and with another scheme", async () => {
    const { fetcher } = internet();
    expect(await serve({ fetcher }).refusal([image("https://b.example/x.png")])).toContain(
      `${FIELD}: expected a host that this server may fetch from, got "b.example"`,
    );
    expect(await serve({ fetcher }).refusal([image("file:///etc/passwd")])).toContain(
      'expected an https or data URL, got "file:"',
    );
  });

  test("is not fetched for a model without vision, nor for an invalid request", async () => {
    const { fetcher } = internet();
    const blind = serve({ fetcher, media: ["audio"] });
    const url = "https://a.example/x.png";
    expect(await blind.refusal([image(url)])).toContain("does not accept images");
    expect(await serve({ fetcher }).refusal([image(url), image("#")])).toContain("expected base64");
  });
});

describe("audio of a chat", () => {
  test.each([
    ["data", audio()],
    ["url", audio({ url: `data:audio/wav;base64,${AUDIO}` })],
  ])("is given as %s", async (name, part) => {
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
    "may be given in one field only: %j",
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
  ])("that takes %j refuses anything else", async (media, part, message) => {
    expect(await serve({ media }).refusal([part])).toContain(message);
  });
});

describe("a request", () => {
  test("has a limited number of images", async () => {
    const { refusal, contents } = serve({ mediaLimits: { files: 2 } });
    expect(await refusal([image(), image(), image()])).toBe(
      "messages.0.content.2.image_url.url: expected at most 2 images and pieces of audio, got 3.",
    );
    expect(await contents([user(image(), image())])).toHaveLength(1);
  });

  test("has a limited number of bytes of images", async () => {
    const { refusal } = serve({ mediaLimits: { totalBytes: 12 } });
    expect(await refusal([image(), image()])).toBe(
      "messages.0.content.1.image_url.url: expected at most 12 bytes of images and audio, got 16 so far.",
    );
  });
});

describe("GET /v1/models", () => {
  test("lists the input modalities of the model in addition to text", async () => {
    const engine = new ScriptedEngine(() => ({ parts: [] }), { media: ["image", "audio"] });
    const { app } = buildTestApp(engine);
    const [model] = (await app.inject({ url: "/v1/models" })).json().data;
    expect(model).toMatchObject({
      architecture: { input_modalities: ["text", "image", "audio"], output_modalities: ["text"] },
      capabilities: ["completion", "tools", "structured_output", "vision", "audio"],
    });
  });
});
