import assert from "node:assert/strict";
import { describe, expect, test, vi } from "vitest";
import type { GenerationRequest } from "../../../src/core/generation-request.js";
import type { ChunkedMedia, MediaPart, PlacedMedia } from "../../../src/core/media.js";
import { mediaOfPrompt, sumMedia } from "../../../src/core/prompt-media.js";
import type { AcceptedMedia, MediaDecoder } from "../../../src/engine/media/media-decoder.js";
import { MediaLibrary } from "../../../src/engine/media/media-library.js";
import type { NativeMedia } from "../../../src/engine/native/companion/native-projector.js";
import { rejection } from "../../support/refusal.js";
import { fileOf } from "../../support/some-media.js";

type Parts = readonly (Int32Array | NativeMedia)[];

const ACCEPTED = { images: { maxPixels: 1000 } };
const piece = (cells: number, rest: Partial<NativeMedia> = {}): NativeMedia => ({
  ...{ kind: "image", cells, positions: cells, isCausal: true },
  ...rest,
});

/** Chunks of files, by their content. */
const divisions: Readonly<Record<string, () => Parts>> = {
  photo: () => [Int32Array.of(7, 8), piece(5), Int32Array.of(9)],
  film: () => [piece(4, { positions: 2 }), Int32Array.of(3), piece(6)],
  whole: () => [piece(16, { isCausal: false })],
  "too large": () => [piece(17, { isCausal: false })],
  "large and causal": () => [piece(1000)],
  broken: () => {
    throw new Error("expected an image, got a file that is broken or cut off");
  },
};

/** A library whose decoder returns a file's content as pixels, and fails for broken files. */
function libraryOf(accepted: AcceptedMedia = ACCEPTED) {
  const decode = vi.fn<MediaDecoder["decode"]>(async (file, _accepted, _seconds, signal) => {
    if (Buffer.from(file).toString() === "speech")
      return { kind: "audio", samples: new Float32Array(24_000) };
    if (Buffer.from(file).toString() === "endless")
      await new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    return { kind: "image", width: file.length, height: 1, pixels: file };
  });
  const divideImage = async (pixels: Uint8Array) =>
    divisions[Buffer.from(pixels).toString()]?.() ?? [];
  const divideAudio = async () => [];
  const beside: string[] = [];
  return {
    decode,
    beside,
    library: new MediaLibrary({
      decoder: { decode },
      projector: { divideImage, divideAudio },
      accepted,
      cpuSeconds: 3,
      runAlongside: async (work) => {
        beside.push("begins");
        const result = await work();
        beside.push("ends");
        return result;
      },
      maxCellsAtOnce: 16,
    }),
  };
}

const imageAt = (field: string, content: string): MediaPart => ({
  ...{ type: "media", kind: "image", field, content: fileOf(content) },
});

function requestWith(id: string, ...contents: readonly string[]): GenerationRequest {
  const parts = contents.flatMap((content, index) => [
    imageAt(`messages.0.content.${index}`, content),
    { type: "text" as const, text: "what?" },
  ]);
  return {
    id,
    prompt: {
      type: "chat",
      messages: [{ role: "user", content: parts }],
      tools: [],
      templateVariables: {},
    },
    choices: 1,
    sampling: {},
    stopping: { minTokens: 0, stop: [], ignoreEos: false },
  } as GenerationRequest;
}

function dividedIn({ prompt }: GenerationRequest): ChunkedMedia[] {
  return mediaOfPrompt(prompt).map(({ content }) => {
    assert(content.type === "divided");
    return content;
  });
}

const placed = (content: string, part: number): PlacedMedia => ({
  ...{ hash: `${fileOf(content).hash}.${part}`, start: 0, cells: 5, positions: 5 },
});

describe("a request with files", () => {
  test("gets the chunks of each file, identified by the file and the chunk's index", async () => {
    const { library, decode } = libraryOf();
    const divided = await library.divide(requestWith("a", "film", "photo"));
    const film = fileOf("film").hash;
    expect(dividedIn(divided)).toEqual([
      {
        type: "divided",
        amount: { images: 1, audioSeconds: 0 },
        segments: [
          { type: "media", hash: `${film}.0`, cells: 4, positions: 2 },
          { type: "tokens", tokens: [3] },
          { type: "media", hash: `${film}.1`, cells: 6, positions: 6 },
        ],
      },
      {
        type: "divided",
        amount: { images: 1, audioSeconds: 0 },
        segments: [
          { type: "tokens", tokens: [7, 8] },
          { type: "media", hash: `${fileOf("photo").hash}.0`, cells: 5, positions: 5 },
          { type: "tokens", tokens: [9] },
        ],
      },
    ]);
    expect(decode.mock.calls.map(([, ...limits]) => limits.slice(0, 2))).toEqual([
      [ACCEPTED, 3],
      [ACCEPTED, 3],
    ]);
    expect(divided.prompt).toMatchObject({
      messages: [{ content: [{ field: "messages.0.content.0" }, { type: "text" }, {}, {}] }],
    });
  });

  test("gets the duration of audio, by the sample rate that the model accepts", async () => {
    const { library } = libraryOf({ audio: { sampleRate: 16_000, maxSeconds: 60 } });
    const divided = await library.divide(requestWith("a", "speech", "photo"));
    expect(dividedIn(divided).map(({ amount }) => amount)).toEqual([
      { images: 0, audioSeconds: 1.5 },
      { images: 1, audioSeconds: 0 },
    ]);
    expect(sumMedia(divided.prompt)).toEqual({ images: 1, audioSeconds: 1.5 });
  });

  test("is unchanged if it has no files or they are already chunked", async () => {
    const { library, decode } = libraryOf();
    const text = requestWith("a");
    expect(await library.divide(text)).toBe(text);
    const divided = await library.divide(requestWith("b", "photo"));
    expect(await library.divide(divided)).toBe(divided);
    expect(decode).toHaveBeenCalledTimes(1);
  });

  test("is chunked once per file, for several uses and requests", async () => {
    const { library, decode } = libraryOf();
    const requests = [requestWith("a", "photo", "photo"), requestWith("b", "photo")];
    await Promise.all(requests.map((request) => library.divide(request)));
    expect(decode).toHaveBeenCalledTimes(1);
  });

  test("has new files decoded concurrently with steps, and known files not decoded", async () => {
    const { library, beside } = libraryOf();
    await library.divide(requestWith("a", "photo", "film"));
    library.release("a");
    await library.divide(requestWith("b", "photo"));
    expect(beside).toEqual(["begins", "ends", "begins", "ends"]);
  });

  test("is plain data after its files are chunked", async () => {
    const { library } = libraryOf();
    const divided = await library.divide(requestWith("a", "film"));
    expect(structuredClone(divided)).toEqual(divided);
  });
});

describe("the decoded data of a file", () => {
  test("is kept until all of its requests and generations have ended", async () => {
    const { library } = libraryOf();
    await library.divide(requestWith("a", "film"));
    await library.divide(requestWith("b", "film"));
    const [, second] = [placed("film", 0), placed("film", 1)];
    library.holdForGeneration("generation a", [second]);
    for (const holder of ["a", "b", "unknown"]) library.release(holder);
    expect(await library.partOf(second.hash)).toMatchObject({ cells: 6 });
    library.release("generation a");
    await expect(library.partOf(second.hash)).rejects.toThrow("are not held");
    expect(() => library.holdForGeneration("generation b", [second])).toThrow("are not held");
  });

  test("is only found by the hash of its own file", async () => {
    const { library } = libraryOf();
    await library.divide(requestWith("a", "film", "photo"));
    expect(await library.partOf(placed("photo", 0).hash)).toMatchObject({ cells: 5 });
    expect(await library.partOf(placed("film", 0).hash)).toMatchObject({ cells: 4 });
    await expect(library.partOf(placed("photo", 1).hash)).rejects.toThrow(
      "among the 1 of its file",
    );
  });

  test("is decoded again when needed if only the chunks are known", async () => {
    const { library, decode } = libraryOf();
    const first = await library.divide(requestWith("a", "film"));
    library.release("a");
    const again = await library.divide(requestWith("b", "film"));
    expect(dividedIn(again)).toEqual(dividedIn(first));
    expect(decode).toHaveBeenCalledTimes(1);
    const parts = await Promise.all(
      [0, 1].map((index) => library.partOf(placed("film", index).hash)),
    );
    expect(parts).toMatchObject([{ cells: 4 }, { cells: 6 }]);
    expect(decode).toHaveBeenCalledTimes(2);
  });

  test("is kept for the eight most recently used files, and decoded again for others", async () => {
    const { library, decode } = libraryOf();
    const contents = ["film", ...Array.from({ length: 8 }, (_, index) => `${index}`)];
    for (const content of contents) await library.divide(requestWith(content, content));
    expect(decode).toHaveBeenCalledTimes(9);
    expect(await library.partOf(placed("film", 1).hash)).toMatchObject({ cells: 6 });
    expect(decode).toHaveBeenCalledTimes(10);
    await library.partOf(placed("film", 0).hash);
    expect(decode).toHaveBeenCalledTimes(10);
  });

  test("is described by cached chunks for the 4096 most recently used files", async () => {
    const { library, decode } = libraryOf();
    const use = async (content: string) => {
      await library.divide(requestWith(content, content));
      library.release(content);
    };
    await use("film");
    await use("photo");
    for (let file = 0; file < 4095; file++) {
      await use(`${file}`);
      if (file === 2000) await use("film");
    }
    const before = decode.mock.calls.length;
    await use("film");
    expect(decode.mock.calls.length).toBe(before);
    await use("photo");
    expect(decode.mock.calls.length).toBe(before + 1);
  });
});

describe("a request that is released while its files are decoded", () => {
  const decodeSignal = (decode: ReturnType<typeof libraryOf>["decode"]) =>
    decode.mock.calls[0]?.[3];

  test("aborts its decoder, and no further file is decoded", async () => {
    const { library, decode } = libraryOf();
    const refused = rejection(library.divide(requestWith("a", "endless", "photo")));
    await Promise.resolve();
    library.release("a");
    await refused;
    expect(decodeSignal(decode)?.aborted).toBe(true);
    expect(decode).toHaveBeenCalledTimes(1);
  });

  test("does not abort a file that another request also has", async () => {
    const { library, decode } = libraryOf();
    const refused = [requestWith("a", "endless"), requestWith("b", "endless")].map((request) =>
      rejection(library.divide(request)),
    );
    await Promise.resolve();
    library.release("a");
    expect(decodeSignal(decode)?.aborted).toBe(false);
    library.release("b");
    expect(decodeSignal(decode)?.aborted).toBe(true);
    await Promise.all(refused);
  });
});

describe("a rejected file", () => {
  test.each([
    ["broken", "expected an image, got a file that is broken or cut off"],
    ["too large", "expected at most 16 tokens per image (--batch-size, --ubatch-size), got 17"],
  ])("is reported with its field: a file that is %s", async (content, reason) => {
    const { library } = libraryOf();
    const refused = await rejection(library.divide(requestWith("a", "photo", content)));
    expect(refused).toMatchObject({
      code: "invalid_request",
      details: [{ field: "messages.0.content.1", reason }],
    });
    // All files of the request are released.
    await expect(library.partOf(placed("photo", 0).hash)).rejects.toThrow("are not held");
    // The file is not cached as valid.
    await rejection(library.divide(requestWith("b", content)));
  });

  test("does not affect files of other requests", async () => {
    const { library } = libraryOf();
    await library.divide(requestWith("a", "photo"));
    await rejection(library.divide(requestWith("b", "photo", "broken")));
    expect(await library.partOf(placed("photo", 0).hash)).toMatchObject({ cells: 5 });
  });

  test.each(["whole", "large and causal"])(
    "must exceed the limits: %s is accepted",
    async (content) => {
      const { library } = libraryOf();
      expect(dividedIn(await library.divide(requestWith("a", content)))).toHaveLength(1);
    },
  );
});
