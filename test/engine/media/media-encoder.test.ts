import { describe, expect, test } from "vitest";
import { MediaEncoder, type MediaEncoderOptions } from "../../../src/engine/media/media-encoder.js";
import { ticks } from "../simulated/simulated-engine.js";
import {
  encodedMedia,
  imageOf,
  type SimulatedImage,
  SimulatedProjector,
} from "../simulated/simulated-media.js";

const photo = imageOf("photo", 8);
const map = imageOf("map", 8);
const film = imageOf("film", 16, { positions: 4, isCausal: false });
const images = new Map([photo, map, film].map((image) => [image.hash, image]));
const BYTES = encodedMedia(photo).rows.byteLength;

const partOf = async (hash: string): Promise<SimulatedImage> => {
  const image = images.get(hash);
  if (image === undefined) throw new Error(`${hash} is broken`);
  return image;
};

function encoderWith(
  projector: SimulatedProjector,
  options: Partial<MediaEncoderOptions> = {},
): MediaEncoder {
  return new MediaEncoder({ projector, partOf, maxBytes: 0, ...options });
}

/** Encodes all requested files. */
async function encodeAll(encoder: MediaEncoder): Promise<void> {
  while (encoder.isBusy) await encoder.encodeFor(20);
}

describe("a media encoder", () => {
  test("encodes one file at a time, in the order of first requests", async () => {
    const projector = new SimulatedProjector({ lets: 2 });
    const encoder = encoderWith(projector);
    for (const hash of ["photo", "map", "photo", "film"]) encoder.requestMedia(hash, "a");
    encoder.requestMedia("map", "b");
    await encodeAll(encoder);
    expect(projector.encodings).toEqual(["photo", "map", "film"]);
    expect(encoder.embeddingsOf("film")).toEqual(encodedMedia(film));
    expect(encoder.embeddingsOf("photo")).toEqual({ ...encodedMedia(photo), grid: undefined });
  });

  test("is busy, and has no embeddings, until a file is encoded", async () => {
    const encoder = encoderWith(new SimulatedProjector({ lets: 3 }));
    expect(encoder.isBusy).toBe(false);
    await encoder.encodeFor(20);
    encoder.requestMedia("photo", "a");
    expect(encoder.isBusy).toBe(true);
    // The first call ends when the file is decoded.
    for (let turn = 0; turn < 3; turn++) {
      expect(encoder.embeddingsOf("photo")).toBeUndefined();
      await encoder.encodeFor(20);
    }
    await encodeAll(encoder);
    expect(encoder.embeddingsOf("photo")).toBeDefined();
  });

  test("begins encoding in the background, and finishes when it gets time", async () => {
    const projector = new SimulatedProjector({ lets: 1 });
    const encoder = encoderWith(projector);
    encoder.requestMedia("photo", "a");
    await ticks(5);
    expect([projector.encodings, encoder.embeddingsOf("photo")]).toEqual([["photo"], undefined]);
    await encoder.encodeFor(1);
    expect(encoder.embeddingsOf("photo")).toBeDefined();
  });

  test("waits at most its time limit for a file that is being decoded", async () => {
    const encoder = encoderWith(new SimulatedProjector(), {
      partOf: () => new Promise(() => undefined),
    });
    encoder.requestMedia("photo", "a");
    await encoder.encodeFor(1);
    expect(encoder.isBusy).toBe(true);
  });

  test("encodes a file once for several requests, and keeps it until the last one ends", async () => {
    const projector = new SimulatedProjector({ lets: 2 });
    const encoder = encoderWith(projector);
    encoder.requestMedia("photo", "a");
    encoder.requestMedia("photo", "b");
    await ticks(2);
    encoder.forget("a");
    await encodeAll(encoder);
    expect(projector.encodings).toEqual(["photo"]);
    expect(encoder.embeddingsOf("photo")).toBeDefined();
    encoder.forget("b");
    expect(encoder.embeddingsOf("photo")).toBeUndefined();
  });
});

describe("an abandoned file", () => {
  test("is not encoded if encoding has not started", async () => {
    const projector = new SimulatedProjector();
    const encoder = encoderWith(projector, { maxBytes: 10 * BYTES });
    encoder.requestMedia("photo", "a");
    encoder.requestMedia("map", "b");
    encoder.requestMedia("film", "a");
    encoder.forget("b");
    await encodeAll(encoder);
    expect(projector.encodings).toEqual(["photo", "film"]);
  });

  test("is aborted during encoding, and the next file is encoded", async () => {
    const projector = new SimulatedProjector({ lets: 1000 });
    const encoder = encoderWith(projector);
    encoder.requestMedia("photo", "a");
    encoder.requestMedia("map", "b");
    await ticks(2);
    encoder.forget("a");
    await ticks(2);
    expect(projector.encodings).toEqual(["photo", "map"]);
    expect(encoder.embeddingsOf("photo")).toBeUndefined();
  });

  test("is not encoded if it is still being decoded", async () => {
    const projector = new SimulatedProjector();
    const encoder = encoderWith(projector);
    encoder.requestMedia("photo", "a");
    encoder.forget("a");
    await ticks(2);
    expect([projector.encodings, encoder.isBusy]).toEqual([[], false]);
  });

  test.each([0, 1, 2, 3])("is encoded again if it is requested %d ticks later", async (delay) => {
    const projector = new SimulatedProjector({ lets: 2 });
    const encoder = encoderWith(projector);
    encoder.requestMedia("photo", "a");
    encoder.requestMedia("map", "b");
    await ticks(2);
    encoder.forget("a");
    await ticks(delay);
    encoder.requestMedia("photo", "c");
    await encodeAll(encoder);
    expect(projector.encodings).toEqual(["photo", "map", "photo"]);
    expect(encoder.embeddingsOf("photo")).toBeDefined();
  });

  test("can be requested again while it is decoded", async () => {
    const projector = new SimulatedProjector();
    const encoder = encoderWith(projector);
    encoder.requestMedia("photo", "a");
    encoder.forget("a");
    encoder.requestMedia("photo", "b");
    await encodeAll(encoder);
    expect(projector.encodings).toEqual(["photo"]);
    expect(encoder.embeddingsOf("photo")).toBeDefined();
  });
});

describe("embeddings of media", () => {
  const encodeFor = async (encoder: MediaEncoder, hash: string, by = hash) => {
    encoder.requestMedia(hash, by);
    await encodeAll(encoder);
  };

  test("are kept for later prompts, the most recently used that fit", async () => {
    const projector = new SimulatedProjector();
    const encoder = encoderWith(projector, { maxBytes: 3 * BYTES });
    for (const hash of ["photo", "map"]) {
      await encodeFor(encoder, hash);
      encoder.forget(hash);
    }
    expect(encoder.heldBytes).toBe(2 * BYTES);
    // Used again, so that the map becomes the least recently used.
    encoder.requestMedia("photo", "photo");
    encoder.forget("photo");
    // As large as two other files.
    await encodeFor(encoder, "film");
    expect(encoder.heldBytes).toBe(3 * BYTES);
    encoder.requestMedia("photo", "again");
    await encodeFor(encoder, "map", "again");
    expect(projector.encodings).toEqual(["photo", "map", "film", "map"]);
  });

  test("are kept while in use, whatever their size", async () => {
    const encoder = encoderWith(new SimulatedProjector(), { maxBytes: BYTES });
    for (const hash of ["photo", "map", "film"]) await encodeFor(encoder, hash);
    expect(encoder.heldBytes).toBe(4 * BYTES);
    encoder.forget("map");
    expect(encoder.heldBytes).toBe(3 * BYTES);
    encoder.forget("film");
    expect([encoder.heldBytes, encoder.embeddingsOf("photo")]).toEqual([
      BYTES,
      encodedMedia(photo),
    ]);
    encoder.forget("photo");
    expect(encoder.heldBytes).toBe(BYTES);
  });

  test("are not kept if they do not fit", async () => {
    const encoder = encoderWith(new SimulatedProjector());
    await encodeFor(encoder, "photo");
    encoder.forget("photo");
    expect(encoder.heldBytes).toBe(0);
  });
});

describe("a file that cannot be encoded", () => {
  test.each([
    ["decoded", "broken", new SimulatedProjector(), "broken is broken"],
    ["encoded", "map", new SimulatedProjector({ broken: ["map"] }), "map cannot be encoded"],
  ])(
    "fails its requests if it cannot be %s, and the next file is encoded",
    async (_, hash, projector, reason) => {
      const encoder = encoderWith(projector);
      encoder.requestMedia(hash, "a");
      encoder.requestMedia("photo", "a");
      await encodeAll(encoder);
      encoder.requestMedia(hash, "b");
      for (let time = 0; time < 2; time++) {
        expect(() => encoder.embeddingsOf(hash)).toThrow(reason);
      }
      expect(encoder.embeddingsOf("photo")).toBeDefined();
      expect(encoder.heldBytes).toBe(BYTES);
    },
  );

  test("is retried when a new request arrives after all others have ended", async () => {
    const projector = new SimulatedProjector({ broken: ["map"] });
    const encoder = encoderWith(projector);
    for (const by of ["a", "b"]) {
      encoder.requestMedia("map", by);
      await encodeAll(encoder);
      expect(() => encoder.embeddingsOf("map")).toThrow();
      encoder.forget(by);
      expect(encoder.embeddingsOf("map")).toBeUndefined();
    }
    expect(projector.encodings).toEqual(["map", "map"]);
  });
});
