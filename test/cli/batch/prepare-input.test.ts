import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it, test } from "vitest";
import { prepareInput } from "../../../src/cli/batch/prepare-input.js";
import { chatLine } from "../../support/batch-options.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const { signal } = new AbortController();

/** A line for another endpoint. */
function line(customId: string, url: string, body: object = {}): string {
  return JSON.stringify({ custom_id: customId, method: "POST", url, body });
}

type Options = Partial<Parameters<typeof prepareInput>[1]>;

/** Prepares a text, and returns the content of each part in place of its path. */
async function prepare(text: string, options: Options = {}) {
  const folder = await temporaryFolder();
  const path = join(folder, "requests.jsonl");
  await writeFile(path, text);
  const input = await prepareInput(path, { folder, signal, model: undefined, ...options });
  if ("problems" in input) return input;
  const parts = input.parts.map(({ endpoint, path }) => [endpoint, readFileSync(path, "utf8")]);
  return { parts, models: Object.fromEntries(input.models) };
}

describe("an input file", () => {
  it("stays as it is if all lines have one endpoint", async () => {
    const text = `${chatLine("a", "one")}\r\n\n ${chatLine("b", "two")}  \n`;
    expect(await prepare(text)).toEqual({
      parts: [["/v1/chat/completions", text]],
      models: { scripted: 1 },
    });
  });

  it("is divided by endpoint, and keeps its line numbers", async () => {
    const lines = [
      chatLine("a", "one"),
      line("b", "/v1/embeddings", { model: "e" }),
      chatLine("c", "two"),
    ];
    expect(await prepare(lines.join("\n"))).toEqual({
      parts: [
        ["/v1/chat/completions", `${lines[0]}\n\n${lines[2]}\n`],
        ["/v1/embeddings", `\n${lines[1]}\n`],
      ],
      models: { scripted: 1, e: 2 },
    });
  });

  it("is divided at the maximum number of lines of a batch", async () => {
    const lines = ["a", "b", "c"].map((id) => chatLine(id, "x"));
    expect(await prepare(lines.join("\n"), { maxLines: 2 })).toMatchObject({
      parts: [
        ["/v1/chat/completions", `${lines[0]}\n${lines[1]}\n`],
        ["/v1/chat/completions", `\n\n${lines[2]}\n`],
      ],
    });
  });

  it("may name another model than the one to use", async () => {
    expect(await prepare(`\n${chatLine("a", "x")}`, { model: "mine" })).toEqual({
      parts: [["/v1/chat/completions", `\n${chatLine("a", "x", { model: "mine" })}\n`]],
      models: { mine: 2 },
    });
  });

  it.each(["/rerank", "/v1/rerank", "/v2/rerank"])(
    "may have vLLM's path %s for rankings",
    async (url) => {
      const body = { query: "q", documents: ["d"] };
      expect(await prepare(line("a", url, body))).toEqual({
        parts: [["/v1/rerank", `${line("a", "/v1/rerank", body)}\n`]],
        models: {},
      });
    },
  );

  it("may come from a stream", async () => {
    const folder = await temporaryFolder();
    const source = Readable.from([chatLine("a", "x")]);
    const input = await prepareInput(source, { folder, signal, model: undefined });
    expect(input).toMatchObject({ parts: [{ endpoint: "/v1/chat/completions" }] });
  });

  it("has the same hash in another folder", async () => {
    const hashes = [1, 2].map(async () => {
      const folder = await temporaryFolder();
      const source = Readable.from([chatLine("a", "x")]);
      const input = await prepareInput(source, { folder, signal, model: undefined });
      return "parts" in input ? input.parts[0]?.sha256 : undefined;
    });
    const [first, second] = await Promise.all(hashes);
    expect(first).toMatch(/^[\da-f]{64}$/);
    expect(second).toBe(first);
  });
});

test("reading a stream ends with the signal", async () => {
  const controller = new AbortController();
  const folder = await temporaryFolder();
  const options = { folder, signal: controller.signal, model: undefined };
  const prepared = prepareInput(new Readable({ read: () => undefined }), options);
  controller.abort(new Error("interrupted"));
  await expect(prepared).rejects.toThrow("interrupted");
});

describe("the problems of an input file", () => {
  it.each([
    ["", null, "expected at least one line, got none."],
    [" \n\n", null, "expected at least one line, got none."],
    ["\n{", 2, 'line: expected JSON in UTF-8, got "{".'],
    ["7", 1, "line: expected a JSON object, got 7."],
    ["{}", 1, "custom_id: expected a string of 1 to 512 characters, got nothing."],
    [
      line("a", "/v1/score"),
      1,
      'url: expected one of /v1/chat/completions, /v1/completions, /v1/responses, /v1/embeddings, /v1/rerank, got "/v1/score".',
    ],
    [
      chatLine("a", "x", { stream: true }),
      1,
      "body.stream: expected false or nothing in a batch, got true.",
    ],
    [
      `${chatLine("a", "x")}\n${chatLine("a", "x")}`,
      2,
      'custom_id: expected a unique value, got "a" again.',
    ],
    [
      `${chatLine("a", "x")}\n${line("a", "/v1/embeddings")}`,
      2,
      'custom_id: expected a unique value, got "a" again.',
    ],
  ])("%j has one in line %j", async (text, number, message) => {
    expect(await prepare(text)).toEqual({ problems: [{ line: number, message }] });
  });

  it("are all reported, up to 20", async () => {
    const input = await prepare("{}\n".repeat(30));
    const lines = "problems" in input ? input.problems.map((problem) => problem.line) : [];
    expect(lines).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it("are those of the file if it cannot be read", async () => {
    const options = { folder: await temporaryFolder(), signal, model: undefined };
    const { problems } = (await prepareInput("/nowhere.jsonl", options)) as {
      problems: readonly unknown[];
    };
    expect(problems).toEqual([{ line: null, message: "no such file" }]);
  });
});
