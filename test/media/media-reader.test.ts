import { describe, expect, test } from "vitest";
import type { GenerationRequest } from "../../src/core/generation-request.js";
import type { MediaPart, MediaSource } from "../../src/core/media.js";
import { MediaMemory } from "../../src/core/media-memory.js";
import type { ReadInline } from "../../src/media/inline-media.js";
import { type MediaLimits, MediaReader } from "../../src/media/media-reader.js";
import { eventually } from "../support/eventually.js";
import { rejection } from "../support/refusal.js";
import { fileOf, IMAGE, IMAGE_FILE } from "../support/some-media.js";

const LIMITS: MediaLimits = { files: 64, fileBytes: 100, totalBytes: 400 };

/** A fetch that ends on demand or when its signal is aborted. */
interface Fetch {
  readonly url: string;
  readonly signal: AbortSignal;
  readonly end: (content: string) => void;
}

function readerOf(limits: Partial<MediaLimits> = {}, memory?: MediaMemory) {
  const fetches: Fetch[] = [];
  const fetch = (url: string, _field: string, signal: AbortSignal) =>
    new Promise<Buffer>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      fetches.push({ url, signal, end: (content) => resolve(Buffer.from(content)) });
    });
  const reader = new MediaReader({ ...LIMITS, ...limits }, { fetcher: { fetch }, memory });
  const caller = new AbortController();
  const end = new AbortController();
  const ended: (() => void)[] = [];
  const read = async (contents: readonly MediaSource[]) => {
    const onEnd = (listener: () => void) => void ended.push(listener);
    const signals = { caller: { signal: caller.signal, onEnd }, end: end.signal };
    const [request] = await reader.read([requestWith(contents)], ["image"], signals);
    return request?.prompt.type === "media" ? request.prompt.parts : [];
  };
  return { read, fetches, caller, end, ended };
}

function requestWith(contents: readonly MediaSource[]): GenerationRequest {
  const parts = contents.map((content, index): MediaPart => {
    return { type: "media", kind: "image", field: `files.${index}`, content };
  });
  return {
    id: "1",
    prompt: { type: "media", parts },
    sampling: {},
    stopping: { minTokens: 0, stop: [], ignoreEos: false },
  };
}

const at = (url: string): MediaSource => ({ type: "url", url });
const inline: MediaSource = { type: "base64", text: IMAGE };
const LARGE = Buffer.alloc(200 * 1024, "an image").toString("base64");
const urls = (count: number) => Array.from({ length: count }, (_, index) => at(`https://${index}`));

describe("fetched files", () => {
  test("are limited to eight concurrent fetches for all requests", async () => {
    const { read, fetches } = readerOf();
    const both = [read(urls(6)), read(urls(6))];
    await eventually(() => expect(fetches).toHaveLength(8));
    for (const { end } of fetches) end("x");
    await eventually(() => expect(fetches).toHaveLength(12));
    for (const { end } of fetches) end("x");
    expect(await Promise.all(both)).toHaveLength(2);
  });

  test("are fetched only once per caller", async () => {
    const { read, fetches } = readerOf();
    const first = read([at("https://a"), inline]);
    await eventually(() => expect(fetches).toHaveLength(1));
    fetches[0]?.end("x");
    expect(await first).toMatchObject([{ content: fileOf("x") }, { content: IMAGE_FILE }]);
    expect(await read([at("https://a")])).toMatchObject([{ content: fileOf("x") }]);
    expect(fetches).toHaveLength(1);
  });

  test("are aborted if one of them exceeds the limit", async () => {
    const { read, fetches } = readerOf({ totalBytes: 10 });
    const refused = rejection(read(urls(9)));
    await eventually(() => expect(fetches).toHaveLength(8));
    fetches[2]?.end("eleven bytes");
    expect((await refused).message).toBe(
      "files.2: expected at most 10 bytes of images and audio, got 12 so far.",
    );
    expect(fetches.filter(({ signal }) => !signal.aborted)).toEqual([]);
  });

  test("are aborted when the client disconnects or the server shuts down", async () => {
    for (const party of ["caller", "end"] as const) {
      const served = readerOf();
      const reading = served.read(urls(1));
      await eventually(() => expect(served.fetches).toHaveLength(1));
      const reason = new Error(party);
      served[party].abort(reason);
      await expect(reading).rejects.toBe(reason);
      await expect(served.read([inline])).rejects.toBe(reason);
    }
  });
});

describe("a large file in a request", () => {
  const readWith = async (readLarge: ReadInline, contents: readonly MediaSource[]) => {
    const limits = { ...LIMITS, fileBytes: LARGE.length, totalBytes: LARGE.length };
    const reader = new MediaReader(limits, { readLarge });
    const { signal } = new AbortController();
    return reader.read([requestWith(contents)], ["image"], {
      caller: { signal, onEnd: () => {} },
      end: signal,
    });
  };

  test("is read in a worker thread, unlike a small file", async () => {
    const sources: MediaSource[] = [];
    const readLarge: ReadInline = async (source) => {
      sources.push(source);
      return IMAGE_FILE;
    };
    const large: MediaSource[] = [
      { type: "base64", text: LARGE },
      at(`data:image/png;base64,${LARGE}`),
    ];
    const [request] = await readWith(readLarge, [inline, ...large]);
    expect(sources).toEqual(large);
    expect(request?.prompt).toMatchObject({
      parts: [{ content: IMAGE_FILE }, { content: IMAGE_FILE }, { content: IMAGE_FILE }],
    });
  });

  test("is rejected with the reason", async () => {
    const readLarge: ReadInline = async () => "expected base64, got something else";
    const refused = await rejection(readWith(readLarge, [{ type: "base64", text: LARGE }]));
    expect(refused).toMatchObject({
      code: "invalid_request",
      message: "files.0: expected base64, got something else.",
    });
  });
});

describe("memory for fetched files", () => {
  test("is reserved for the maximum file size, reduced to the actual size, and released after the answer", async () => {
    const memory = new MediaMemory(1000);
    const { read, fetches, ended } = readerOf({}, memory);
    const first = read([inline, ...urls(2)]);
    await eventually(() => expect(fetches).toHaveLength(2));
    expect(memory.usedBytes).toBe(2 * 2 * LIMITS.fileBytes);
    for (const { end } of fetches) end("abc");
    await first;
    expect(memory.usedBytes).toBe(2 * 2 * "abc".length);
    await read(urls(2));
    expect(memory.usedBytes).toBe(2 * 2 * "abc".length);
    for (const end of ended) end();
    expect(memory.usedBytes).toBe(0);
  });

  test("is awaited before files are fetched", async () => {
    const memory = new MediaMemory(4 * LIMITS.fileBytes);
    const { read, fetches, ended } = readerOf({}, memory);
    const first = read(urls(2));
    await eventually(() => expect(fetches).toHaveLength(2));
    const { read: readOther, fetches: others } = readerOf({}, memory);
    const second = readOther([at("https://other")]);
    await eventually(() => expect(memory.waiting).toBe(1));
    expect(others).toHaveLength(0);
    for (const { end } of fetches) end("x".repeat(LIMITS.fileBytes));
    await first;
    expect(memory.waiting).toBe(1);
    for (const end of ended) end();
    await eventually(() => expect(others).toHaveLength(1));
    others[0]?.end("x");
    await second;
  });
});
