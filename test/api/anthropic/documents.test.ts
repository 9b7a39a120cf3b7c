import { describe, expect, it } from "vitest";
import type { MediaKind } from "../../../src/core/media.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { IMAGE, IMAGE_FILE } from "../../support/some-media.js";
import { buildTestApp } from "../../support/test-app.js";

function serve(media: readonly MediaKind[] = []) {
  const engine = new ScriptedEngine(() => ({ parts: ["Read."] }), { media });
  const { app } = buildTestApp(engine);
  const post = (messages: readonly object[], path = "") =>
    app.inject({
      method: "POST",
      url: `/v1/messages${path}`,
      payload: { messages, ...(path === "" && { max_tokens: 10 }) },
    });
  const contents = async (...messages: readonly object[]) => {
    const { statusCode, body } = await post(messages);
    expect(statusCode, body).toBe(200);
    return engine.requests.at(-1)?.prompt.messages.map(({ content }) => content);
  };
  const refusal = async (...messages: readonly object[]) => {
    const response = await post(messages);
    expect(response.statusCode).toBe(400);
    expect(engine.requests).toEqual([]);
    return response.json().error.message;
  };
  return { engine, post, contents, refusal };
}

const base64 = (content: string) => Buffer.from(content).toString("base64");
const user = (...content: readonly object[]) => ({ role: "user", content });
const text = (words: string) => ({ type: "text", text: words });
const document = (source: unknown, fields: object = {}) => ({
  type: "document",
  source,
  ...fields,
});
const plain = { type: "text", media_type: "text/plain", data: "A" };
const image = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: IMAGE },
};
const called = [
  { role: "user", content: "Read." },
  { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
];
const result = (...content: readonly object[]) =>
  user({ type: "tool_result", tool_use_id: "toolu_1", content });

describe("a document block", () => {
  it.each([
    [plain, "A"],
    [{ type: "base64", media_type: "text/csv", data: base64("a,b\n") }, "a,b"],
    [{ type: "base64", data: base64("a") }, "a"],
    [{ type: "content", content: "B" }, "B"],
    [{ type: "content", content: [text("B"), text("C")] }, "B\nC"],
  ])("is part of the prompt: %j", async (source, words) => {
    const { contents } = serve();
    const labels = { title: "a.csv", context: "Mine.", citations: { enabled: true } };
    const ask = user(text("See:"), document(source, labels), text("Why?"));
    expect(await contents(ask)).toEqual([
      `See:\n<document name="a.csv" context="Mine.">\n${words}\n</document>\nWhy?`,
    ]);
  });

  it("may contain images", async () => {
    const { contents } = serve(["image"]);
    const source = { type: "content", content: [text("B"), image] };
    expect(await contents(user(document(source)))).toEqual([
      [
        text("<document>\nB"),
        {
          ...{ type: "media", kind: "image", content: IMAGE_FILE },
          field: "messages.0.content.0.source.content.1.source.data",
        },
        text("</document>"),
      ],
    ]);
  });

  it("is accepted in a tool result", async () => {
    const { contents } = serve();
    const answer = result(text("Here:"), document(plain, { title: "a.md" }));
    expect((await contents(...called, answer))?.[2]).toBe(
      'Here:\n<document name="a.md">\nA\n</document>',
    );
  });

  it("is included in the token count", async () => {
    const { post, engine } = serve();
    const response = await post([user(document(plain))], "/count_tokens");
    expect(response.statusCode).toBe(200);
    expect(engine.requests).toMatchObject([
      { prompt: { messages: [{ content: "<document>\nA\n</document>" }] } },
    ]);
  });

  it.each([
    [
      document({ type: "base64", media_type: "application/pdf", data: base64("%PDF-1.7") }),
      "source.data: expected UTF-8 text, such as Markdown, CSV, JSON or source code, got a PDF: convert it to text first.",
    ],
    [
      document({ type: "base64", media_type: "text/plain", data: base64("A\u0000") }),
      "source.data: expected UTF-8 text, such as Markdown, CSV, JSON or source code, got a binary file or another encoding: convert it to UTF-8 text first.",
    ],
    [
      document({ type: "file", file_id: "file_1" }),
      'source.type: expected one of text, base64, content, because this server stores no files, got "file".',
    ],
    [
      document({ type: "url", url: "https://a.example/b.pdf" }),
      'source.type: expected one of text, base64, content, because this server fetches no documents, got "url".',
    ],
    [document("A"), 'source: expected a source, got "A".'],
    [document(plain, { title: 1 }), "title: expected a string, got 1."],
    [document(plain, { context: 1 }), "context: expected a string, got 1."],
    [document({ type: "text" }), "source.data: expected a string, got nothing."],
    [
      document({ type: "content", content: [document(plain)] }),
      'source.content.0.type: expected one of text, image, because documents are accepted only in user messages and tool results, got "document".',
    ],
  ])("is rejected with its field: %j", async (block, reason) => {
    const { refusal } = serve();
    expect(await refusal(user(block))).toBe(`messages.0.content.0.${reason}`);
    expect(await refusal(...called, result(block))).toBe(
      `messages.2.content.0.content.0.${reason}`,
    );
  });

  it("is rejected outside of user messages and tool results", async () => {
    const { refusal } = serve();
    const answer = { role: "assistant", content: [document(plain)] };
    expect(await refusal(called[0] ?? {}, answer)).toBe(
      'messages.1.content.0.type: expected one of text, thinking, redacted_thinking, tool_use, because documents are accepted only in user messages and tool results, got "document".',
    );
  });
});
