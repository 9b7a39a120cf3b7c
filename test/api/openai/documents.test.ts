import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

function serve() {
  const engine = new ScriptedEngine(() => ({ parts: ["Read."] }));
  const { app } = buildTestApp(engine);
  const post = (messages: readonly object[], path = "") =>
    app.inject({ method: "POST", url: `/v1/chat/completions${path}`, payload: { messages } });
  const contents = async (...messages: readonly object[]) => {
    const { statusCode, body } = await post(messages);
    expect(statusCode, body).toBe(200);
    return engine.requests.at(-1)?.prompt.messages.map(({ content }) => content);
  };
  return { engine, post, contents };
}

const base64 = (content: string) => Buffer.from(content).toString("base64");
const user = (...content: readonly object[]) => ({ role: "user", content });
const text = (words: string) => ({ type: "text", text: words });
const file = (fields: unknown) => ({ type: "file", file: fields });

describe("a file in a chat message", () => {
  it.each([
    [{ filename: "a.md", file_data: base64("# A") }, '<document name="a.md">\n# A\n</document>'],
    [{ file_data: `data:text/csv;base64,${base64("a,b")}` }, "<document>\na,b\n</document>"],
    [{ filename: null, file_id: null, file_data: base64("A") }, "<document>\nA\n</document>"],
  ])("is part of the prompt: %j", async (fields, framed) => {
    const { contents } = serve();
    expect(await contents(user(text("See:"), file(fields), text("Why?")))).toEqual([
      `See:\n${framed}\nWhy?`,
    ]);
  });

  it("is accepted in a tool result", async () => {
    const { contents } = serve();
    const call = { id: "call_1", type: "function", function: { name: "read", arguments: "{}" } };
    const messages = [
      { role: "user", content: "Read." },
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: [file({ file_data: base64("A") })] },
    ];
    expect((await contents(...messages))?.[2]).toBe("<document>\nA\n</document>");
  });

  it("is included in the token count", async () => {
    const { post, engine } = serve();
    const messages = [user(file({ file_data: base64("A") }))];
    expect((await post(messages, "/input_tokens")).statusCode).toBe(200);
    expect(engine.requests).toMatchObject([
      { prompt: { messages: [{ content: "<document>\nA\n</document>" }] } },
    ]);
  });

  it.each([
    [
      { filename: "a.pdf", file_data: `data:application/pdf;base64,${base64("%PDF-1.7")}` },
      "file_data",
      "expected UTF-8 text, such as Markdown, CSV, JSON or source code, got a PDF: convert it to text first",
    ],
    [{ file_data: base64("A\u0000") }, "file_data", "got a binary file or another encoding"],
    [{ file_data: "#" }, "file_data", "expected base64, got something else"],
    [{ file_data: "" }, "file_data", "expected the file in base64 or as a data URL"],
    [{}, "file_data", "expected the file in base64 or as a data URL, got nothing"],
    [
      { file_id: "file_1" },
      "file_id",
      'expected none, because this server stores no files, got "file_1"',
    ],
    [{ file_data: base64("A"), filename: 1 }, "filename", "expected a string, got 1"],
  ])("is rejected with its field: %j", async (fields, name, reason) => {
    const { post, engine } = serve();
    const response = await post([user(text("See"), file(fields))]);
    expect(response.statusCode).toBe(400);
    const param = `messages.0.content.1.file.${name}`;
    expect(response.json().error).toMatchObject({ code: "invalid_request", param });
    expect(response.json().error.message).toContain(`${param}: `);
    expect(response.json().error.message).toContain(reason);
    expect(engine.requests).toEqual([]);
  });

  it("is rejected if it is no object", async () => {
    const response = await serve().post([user(file("A"))]);
    expect(response.json().error.message).toBe(
      'messages.0.content.0.file: expected an object, got "A".',
    );
  });

  it("is rejected in a system message", async () => {
    const response = await serve().post([{ role: "system", content: [file({})] }]);
    expect(response.json().error.param).toBe("messages.0.content.0.type");
  });
});
