import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { indexInput } from "../../src/batches/index-input.js";
import { readLines } from "../../src/batches/read-lines.js";
import { chatLine } from "../support/batch-options.js";
import { temporaryFolder } from "../support/temporary-folder.js";

async function fileWith(content: string) {
  const path = join(await temporaryFolder(), "input.jsonl");
  await writeFile(path, content);
  return open(path, "r");
}

async function linesOf(content: string, maxLineBytes = 100) {
  const file = await fileWith(content);
  const lines: [offset: number, length: number, text: string | undefined, isTerminated: boolean][] =
    [];
  for await (const { offset, length, bytes, isTerminated } of readLines(file, maxLineBytes)) {
    lines.push([offset, length, bytes?.toString(), isTerminated]);
  }
  await file.close();
  return lines;
}

describe("the lines of a file", () => {
  it.each([
    ["", []],
    [
      "a\nbc\n",
      [
        [0, 1, "a", true],
        [2, 2, "bc", true],
      ],
    ],
    [
      "a\n\nb",
      [
        [0, 1, "a", true],
        [2, 0, "", true],
        [3, 1, "b", false],
      ],
    ],
    ["ä\n", [[0, 2, "ä", true]]],
    [
      `${"x".repeat(101)}\ny\n`,
      [
        [0, 101, undefined, true],
        [102, 1, "y", true],
      ],
    ],
  ])("of %j", async (content, expected) => {
    expect(await linesOf(content)).toEqual(expected);
  });

  it("may be longer than the chunks that are read", async () => {
    const [first, second] = ["x".repeat(700_000), "y".repeat(300_000)];
    const lines = await linesOf(`${first}\n${second}\n`, 1_000_000);
    expect(lines).toEqual([
      [0, 700_000, first, true],
      [700_001, 300_000, second, true],
    ]);
  });
});

async function errorsOf(content: string, maxLineBytes = 1000) {
  const file = await fileWith(content);
  const indexed = await indexInput(file, { endpoint: "/v1/chat/completions", maxLineBytes });
  await file.close();
  return "errors" in indexed ? indexed.errors : [];
}

const valid = { custom_id: "a", method: "POST", url: "/v1/chat/completions", body: {} };

describe("the validation of an input file", () => {
  it("indexes lines by offset, in the order of the file, and skips empty ones", async () => {
    const lines = [chatLine("a", "one"), "", chatLine("b", "two", { model: "other" })];
    const content = lines.join("\n");
    const file = await fileWith(content);
    const indexed = await indexInput(file, { endpoint: valid.url, maxLineBytes: 1000 });
    await file.close();
    if ("errors" in indexed) throw new Error(JSON.stringify(indexed.errors));
    expect([...indexed.linesById]).toEqual([
      ["a", 0],
      ["b", 1],
    ]);
    const texts = [0, 1].map((line) => {
      const { offset, length } = indexed.index.locate(line);
      return content.slice(offset, offset + length);
    });
    expect(texts).toEqual([lines[0], lines[2]]);
    expect([0, 1].map((line) => indexed.index.modelOf(line))).toEqual(["scripted", "other"]);
  });

  it.each([
    ["not JSON", "{", "invalid_json_line", null],
    ["invalid UTF-8 in JSON", `"${"[".repeat(3)}`, "invalid_json_line", null],
    ["deep nesting", "[".repeat(500), "invalid_json_line", null],
    ["an array", "[]", "invalid_json_line", null],
    ["no custom_id", { ...valid, custom_id: undefined }, "invalid_request", "custom_id"],
    ["a long custom_id", { ...valid, custom_id: "x".repeat(513) }, "invalid_request", "custom_id"],
    ["another method", { ...valid, method: "GET" }, "invalid_request", "method"],
    ["another URL", { ...valid, url: "/v1/embeddings" }, "mismatched_endpoint", "url"],
    ["no body", { ...valid, body: "x" }, "invalid_request", "body"],
    ["a stream", { ...valid, body: { stream: true } }, "invalid_request", "body.stream"],
    ["background", { ...valid, body: { background: true } }, "invalid_request", "body.background"],
    ["a long line", { ...valid, body: { x: "x".repeat(1000) } }, "line_too_large", null],
  ])("refuses %s, with the number of the line", async (_, line, code, param) => {
    const text = typeof line === "string" ? line : JSON.stringify(line);
    const errors = await errorsOf(`${chatLine("first", "Hi")}\n\n${text}\n`);
    expect(errors).toMatchObject([{ code, param, line: 3 }]);
  });

  it("refuses a custom_id that another line has", async () => {
    const errors = await errorsOf(`${chatLine("a", "Hi")}\n${chatLine("a", "Hello")}\n`);
    expect(errors).toMatchObject([
      {
        code: "duplicate_custom_id",
        line: 2,
        message: 'custom_id: expected a unique value, got "a" again.',
      },
    ]);
  });

  it.each([
    ['{"custom_id"', 'line: expected JSON in UTF-8, got "{\\"custom_id\\"".'],
    ["[1]", "line: expected a JSON object, got [1]."],
    [{ ...valid, method: { get: true } }, 'method: expected "POST", got {"get":true}.'],
  ])("quotes the line: %j", async (line, message) => {
    const text = typeof line === "string" ? line : JSON.stringify(line);
    expect(await errorsOf(text)).toMatchObject([{ message, line: 1 }]);
  });

  it("refuses an empty file", async () => {
    expect(await errorsOf("\n \n")).toMatchObject([{ code: "empty_file", line: null }]);
  });

  it("reports at most 100 errors", async () => {
    expect(await errorsOf("{\n".repeat(500))).toHaveLength(100);
  });
});
