import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import { toJsonText } from "../../src/core/json.js";
import type { MediaSource } from "../../src/core/media.js";
import { attachSourceTexts, parseJson } from "../../src/http/parse-json.js";
import { type InlineSource, readInline } from "../../src/media/inline-media.js";
import { openBodyWorkers } from "../../src/serve/body-worker.js";
import { builtDaemon } from "../support/built-daemon.js";

const workers = openBodyWorkers(new URL("serve/body-worker-main.js", pathToFileURL(builtDaemon)));
afterAll(() => workers.close());

const NAMES = ["input"];
const parse = (json: string | Buffer) => workers.parseLargeJson(Buffer.from(json), NAMES);

describe("a request body parsed in a worker thread", () => {
  test.each([
    ["values of all types", '{"a":[1,-0,1.5e300,null,true,"\\u0000é🙂"],"b":{}}'],
    ["names of built-in properties", '{"__proto__":{"input":7},"constructor":1,"a":1,"a":2}'],
    ["long texts", `{"lone":"\\ud800","long":"${"x".repeat(1_000_000)}"}`],
    ["a single number", "7"],
  ])("equals the value parsed in the main thread: %s", async (_, json) => {
    const { value } = parseJson(Buffer.from(json), []);
    expect(attachSourceTexts(await parse(json))).toStrictEqual(value);
  });

  test("keeps the original text of its objects", async () => {
    const json = '{"calls":[{"input":{"n":12345678901234567890}},{"input":{"x":1.0}}]}';
    const value = attachSourceTexts(await parse(json)) as { calls: { input: object }[] };
    expect(value.calls.map(({ input }) => toJsonText(input))).toEqual([
      '{"n":12345678901234567890}',
      '{"x":1.0}',
    ]);
  });

  test("is transferred to the worker without being copied", async () => {
    const bytes = Buffer.alloc(1_000_000, "7");
    await expect(workers.parseLargeJson(bytes, [])).rejects.toThrow("expected at most 4096 bytes");
    expect(bytes).toHaveLength(0);
  });

  test.each<[string, string | Buffer]>([
    ["invalid JSON", "{"],
    ["invalid UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["nested too deeply", "[".repeat(129)],
    ["too many values", `[${"1,".repeat(40_001)}1]`],
  ])("is rejected with the same kind of error as in the main thread: %s", async (_, json) => {
    const refused = await parse(json).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(GgufdError);
    expect(refused).toMatchObject({
      code: "invalid_json",
      message: expect.stringMatching(/^body: expected /),
    });
  });
});

describe("a media file read in a worker thread", () => {
  const content = Buffer.alloc(1_000_000, "an image").toString("base64");

  test.each<[string, MediaSource]>([
    ["of a data URL", { type: "url", url: `data:image/png;base64,${content}` }],
    ["in base64", { type: "base64", text: content }],
    ["that is small", { type: "base64", text: "QUJD" }],
    ["that is invalid base64", { type: "base64", text: `${content}!` }],
    ["that is too large", { type: "base64", text: "A".repeat(1_500_000) }],
  ])("equals the file read in the main thread: %s", async (_, source) => {
    const read = await workers.readLarge(source as InlineSource, 1_000_000);
    const here = await readInline(source as InlineSource, 1_000_000);
    // Comparing a million array elements takes seconds.
    const told = (file: typeof read) =>
      typeof file === "string"
        ? file
        : { ...file, bytes: Buffer.from(file.bytes).toString("base64") };
    expect(told(read)).toEqual(told(here));
  });
});
