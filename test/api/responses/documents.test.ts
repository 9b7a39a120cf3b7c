import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

function serve() {
  const engine = new ScriptedEngine(() => ({ parts: ["Read."] }), { contextSize: 200 });
  const { app } = buildTestApp(engine);
  const send = async (url: string, payload: object) =>
    (await app.inject({ method: "POST", url, payload })).json();
  const post = (payload: object, path = "") => send(`/v1/responses${path}`, payload);
  const get = async (url: string) => (await app.inject({ url })).json();
  const contents = () => engine.requests.at(-1)?.prompt.messages.map(({ content }) => content);
  return { engine, send, post, get, contents };
}

const base64 = (content: string) => Buffer.from(content).toString("base64");
const user = (...content: readonly object[]) => ({ role: "user", content });
const text = (words: string) => ({ type: "input_text", text: words });
const file = (fields: object) => ({ type: "input_file", ...fields });
const notes = file({ filename: "notes.md", file_data: base64("# A") });
const framed = '<document name="notes.md">\n# A\n</document>';

describe("a file in the Responses API", () => {
  it.each([
    [notes, framed],
    [
      file({ file_data: `data:text/csv;base64,${base64("a,b")}`, detail: "low" }),
      "<document>\na,b\n</document>",
    ],
    [
      file({ file_data: base64("A"), filename: null, file_id: null, file_url: null }),
      "<document>\nA\n</document>",
    ],
  ])("is part of the prompt: %j", async (part, words) => {
    const { post, contents } = serve();
    const response = await post({ input: [user(text("See:"), part, text("Why?"))] });
    expect(response).toMatchObject({ status: "completed" });
    expect(contents()).toEqual([`See:\n${words}\nWhy?`]);
  });

  it("is accepted in a function call's output", async () => {
    const { post, contents } = serve();
    const input = [
      { type: "function_call", call_id: "1", name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: "1", output: [text("Here:"), notes] },
    ];
    expect(await post({ input })).toMatchObject({ status: "completed" });
    expect(contents()?.[1]).toBe(`Here:\n${framed}`);
  });

  it("is stored as it was sent, and included when the response is continued", async () => {
    const { post, get, contents } = serve();
    const { id } = await post({ input: [user(notes)] });
    expect(await get(`/v1/responses/${id}/input_items`)).toMatchObject({
      data: [{ content: [notes] }],
    });
    await post({ previous_response_id: id, input: "And now?" });
    expect(contents()).toEqual([framed, "Read.", "And now?"]);
  });

  it("is included from a conversation", async () => {
    const { send, post, contents } = serve();
    const { id } = await send("/v1/conversations", { items: [user(notes)] });
    await post({ conversation: id, input: "And now?" });
    expect(contents()).toEqual([framed, "And now?"]);
  });

  it("is included in the token count", async () => {
    const { post, contents } = serve();
    expect(await post({ input: [user(notes)] }, "/input_tokens")).toMatchObject({
      object: "response.input_tokens",
    });
    expect(contents()).toEqual([framed]);
  });

  it.each([
    [
      { file_data: base64("%PDF-1.4"), filename: "a.pdf" },
      "file_data",
      "got a PDF: convert it to text first",
    ],
    [{ file_data: base64("A\u0000") }, "file_data", "got a binary file or another encoding"],
    [{ file_data: "#" }, "file_data", "expected base64, got something else"],
    [{}, "file_data", "expected the file in base64 or as a data URL, got nothing"],
    [
      { file_id: "file_1" },
      "file_id",
      'expected none, because this server stores no files, got "file_1"',
    ],
    [
      { file_url: "https://a.example/b" },
      "file_url",
      'expected none, because this server fetches no documents, got "https://a.example/b"',
    ],
    [{ file_data: base64("A"), filename: 1 }, "filename", "expected a string, got 1"],
  ])("is rejected with its field: %j", async (fields, name, reason) => {
    const { send } = serve();
    const output = [
      { type: "function_call", call_id: "1", name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: "1", output: [file(fields)] },
    ];
    const items = [user(text("See"), file(fields))];
    const cases = [
      ["/v1/responses", { input: items }, "input.0.content.1"],
      ["/v1/responses", { input: output }, "input.1.output.0"],
      ["/v1/conversations", { items }, "items.0.content.1"],
      ["/v1/conversations", { items: output }, "items.1.output.0"],
    ] as const;
    for (const [url, body, path] of cases) {
      const { error } = await send(url, body);
      expect(error).toMatchObject({ code: "invalid_request", param: `${path}.${name}` });
      expect(error.message).toContain(`${path}.${name}: `);
      expect(error.message).toContain(reason);
    }
  });

  it.each(["system", "developer", "assistant"])("is rejected with the role %s", async (role) => {
    const { error } = await serve().post({ input: [{ role, content: [notes] }] });
    expect(error.message).toBe(
      `input.0.content.0: expected text in a message of the role ${role}, got a file.`,
    );
  });
});
