import { describe, expect, test } from "vitest";
import {
  alphabetModel,
  mixedModel,
  SimulatedEngine,
  type SimulatedEngineOptions,
  type SimulatedRequest,
  waitUntil,
} from "../simulated/simulated-engine.js";
import { imageOf, SimulatedProjector } from "../simulated/simulated-media.js";

const photo = imageOf("photo", 10);
const map = imageOf("map", 10);
/** Twelve cells in a grid of four columns. */
const grid = imageOf("grid", 12, { positions: 4 });
const whole = imageOf("whole", 14, { isCausal: false });

/** Model whose text depends on everything before it, and never ends. */
const endlessModel = (held: readonly number[]) => mixedModel(held) % 26;

async function textAlone(request: SimulatedRequest): Promise<string> {
  const engine = new SimulatedEngine({ slots: 1, batchSize: 256, next: endlessModel });
  const generation = engine.start(request);
  await engine.allEnded();
  expect(engine.failures).toEqual([]);
  return generation.text;
}

/** Engine with a clock, whose steps take 10 ms plus 1 ms per cell of media. */
function timed(options: SimulatedEngineOptions = {}): SimulatedEngine {
  let now = 0;
  return new SimulatedEngine({
    next: endlessModel,
    clock: () => now,
    ...options,
    onCall: (call) => {
      if (call.kind === "evaluate") now += 10;
      if (call.piece !== undefined) now += call.piece.to - call.piece.from;
      return options.onCall?.(call);
    },
  });
}

const piecesOf = (engine: SimulatedEngine) =>
  engine.context.pieces.map(({ position, from, to }) => [position, from, to]);

describe("a prompt with an image", () => {
  test("is evaluated in order, with the image between the texts", async () => {
    const engine = new SimulatedEngine({ next: endlessModel });
    engine.start({ prompt: ["abc", photo, "de"], maxTokens: 1 });
    await engine.allEnded();
    const kinds = engine.context.calls.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind.startsWith("evaluate"))).toEqual([
      ...["evaluate", "evaluate-media", "evaluate"],
    ]);
    expect(piecesOf(engine)).toEqual([[3, 0, 10]]);
    expect(engine.context.batches.map(([part]) => [part?.position, part?.tokens.length])).toEqual([
      [0, 3],
      [13, 2],
    ]);
  });

  test("has an answer that depends on the image and its position", async () => {
    const prompts = [
      ["abc", photo, "de"],
      ["abc", map, "de"],
      ["ab", photo, "cde"],
      ["abc", photo, photo, "de"],
      ["abc", photo, map, "de"],
      ["abc", map, photo, "de"],
      ["abcde"],
    ] as const;
    const texts = await Promise.all(prompts.map((prompt) => textAlone({ prompt, maxTokens: 12 })));
    expect(new Set(texts).size).toBe(prompts.length);
  });

  test("may begin with an image and contain consecutive images", async () => {
    const engine = new SimulatedEngine({ next: endlessModel });
    engine.start({ prompt: [photo, grid, map, "a"], maxTokens: 1 });
    await engine.allEnded();
    expect(piecesOf(engine)).toEqual([
      [0, 0, 10],
      [10, 0, 12],
      [14, 0, 10],
    ]);
    expect(engine.context.batches.map(([part]) => part?.position)).toEqual([24]);
  });

  test("continues after a grid image at llama.cpp's position", async () => {
    const engine = new SimulatedEngine({ next: endlessModel, partialTruncation: "supported" });
    const generation = engine.start({ prompt: ["abc", grid, "de"], maxTokens: 3 });
    await engine.allEnded();
    const positions = engine.context.batches.map(([part]) => part?.position);
    expect(positions).toEqual([0, 7, 9, 10]);
    expect(generation.finalEvent).toMatchObject({ usage: { promptTokens: 17 } });
  });

  test("reports the cached cells of the image", async () => {
    const engine = new SimulatedEngine({ next: endlessModel, slots: 1 });
    engine.start({ prompt: ["abc", grid, "de"], maxTokens: 1 });
    await engine.allEnded();
    const again = engine.start({ prompt: ["abc", grid, "xy"], maxTokens: 1 });
    await engine.allEnded();
    expect(again.cachedTokens).toBe(15);
  });

  test("reports its progress in cells and uses no drafts", async () => {
    const engine = timed({ speculation: "auto", next: alphabetModel, slots: 1 });
    const generation = engine.start({
      prompt: ["ab".repeat(5), photo, "ab".repeat(5)],
      progress: { prompt: "with-each-slice" },
      maxTokens: 8,
    });
    await engine.allEnded();
    const progress = generation.events.flatMap((event) =>
      event.type === "prompt-progress" ? [event.processedTokens] : [],
    );
    expect(progress.at(-1)).toBe(30);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(engine.context.batches.slice(-7).every(([part]) => part?.tokens.length === 1)).toBe(
      true,
    );
  });
});

describe("an image with causal attention", () => {
  test("is evaluated in slices within the step time while other generations decode", async () => {
    const large = imageOf("large", 100);
    const engine = timed({ batchSize: 64 });
    engine.start({ prompt: "abc", maxTokens: 60 });
    await waitUntil(() => engine.context.batches.length > 3);
    engine.start({ prompt: ["ab", large, "c"], maxTokens: 2 });
    await engine.allEnded();
    const sizes = engine.context.pieces.map(({ from, to }) => to - from);
    expect(sizes.slice(0, -1).every((size) => size === 16)).toBe(true);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(100);
    const kinds = engine.context.calls.flatMap(({ kind }) =>
      kind.startsWith("evaluate") ? [kind] : [],
    );
    const first = kinds.indexOf("evaluate-media");
    const last = kinds.lastIndexOf("evaluate-media");
    for (let index = first; index < last; index++) {
      expect([kinds[index], kinds[index + 1]]).toContain("evaluate");
    }
  });

  test("is evaluated in batches of the maximum size while no generation decodes", async () => {
    const engine = timed({ batchSize: 64 });
    engine.start({ prompt: ["ab", imageOf("large", 150), "c"], maxTokens: 2 });
    await engine.allEnded();
    expect(piecesOf(engine)).toEqual([
      [2, 0, 64],
      [2, 64, 128],
      [2, 128, 150],
    ]);
  });
});

test("an image with non-causal attention is evaluated at once, even during decoding", async () => {
  const engine = timed({ batchSize: 16 });
  const other = engine.start({ prompt: "abc", maxTokens: 60 });
  await waitUntil(() => engine.context.batches.length > 3);
  engine.start({ prompt: ["ab", whole, "c", whole, "d"], maxTokens: 2 });
  await engine.allEnded();
  expect(piecesOf(engine)).toEqual([
    [2, 0, 14],
    [17, 0, 14],
  ]);
  expect(other.text).toBe(await textAlone({ prompt: "abc", maxTokens: 60 }));
});

test("concurrent generations give the same answers as alone and encode their images one at a time", async () => {
  const projector = new SimulatedProjector({ lets: 3 });
  const engine = timed({ slots: 4, projector });
  const requests = [
    { prompt: "abcabc", maxTokens: 40 },
    { prompt: ["ab", photo, "c", grid, "d"], maxTokens: 9 },
    { prompt: ["ab", map, "c", grid, "d"], maxTokens: 9 },
    { prompt: [whole, "d"], maxTokens: 9 },
  ];
  const generations = requests.map((request) => engine.start(request));
  await engine.allEnded();
  for (const [index, request] of requests.entries()) {
    expect(generations[index]?.text).toBe(await textAlone(request));
  }
  // The image shared by two prompts is encoded once.
  expect(projector.encodings).toEqual(["photo", "grid", "map", "whole"]);
});

describe("a prefix with an image", () => {
  const texts = ["ab".repeat(20), "cd".repeat(10)] as const;

  test.each([
    ["the same image", photo, 50],
    ["another image", map, 40],
  ])(
    "is reused for a prompt with %s up to the first difference",
    async (_, image, cachedTokens) => {
      const engine = new SimulatedEngine({ next: endlessModel, slots: 1 });
      engine.start({ prompt: [texts[0], photo, texts[1]], maxTokens: 1 });
      await engine.allEnded();
      const request = { prompt: [texts[0], image, "xyz"], maxTokens: 9 };
      const again = engine.start(request);
      await engine.allEnded();
      expect(again.cachedTokens).toBe(cachedTokens);
      expect(again.text).toBe(await textAlone(request));
    },
  );

  test("is copied for a concurrent prompt without encoding the image again", async () => {
    const projector = new SimulatedProjector();
    const engine = new SimulatedEngine({ next: endlessModel, slots: 2, projector });
    engine.start({ prompt: [texts[0], grid, texts[1]], maxTokens: 200 });
    await waitUntil(() => engine.context.batches.length > 8);
    const request = { prompt: [texts[0], grid, "xyz"], maxTokens: 9 };
    const other = engine.start(request);
    await waitUntil(() => other.finalEvent !== undefined);
    expect(other.cachedTokens).toBe(52);
    expect(other.text).toBe(await textAlone(request));
    expect(projector.encodings).toEqual(["grid"]);
    await engine.allEnded();
  });

  test.each([
    { name: "in the split layout" },
    { name: "in the unified layout", cells: 400 },
    { name: "if states cannot be truncated", partialTruncation: "unsupported" as const },
  ])(
    "is not copied together with part of the next image $name",
    async ({ name: _, ...options }) => {
      const engine = timed({ slots: 3, batchSize: 32, ...options });
      engine.start({ id: "decoding", prompt: "b", maxTokens: 100 });
      await waitUntil(() => engine.context.batches.length > 3);
      const large = imageOf("large", 120);
      const begins = "ab".repeat(15);
      const first = engine.start({ prompt: [begins, large, "c"], maxTokens: 4 });
      await waitUntil(() => engine.context.pieces.length === 2);
      const requests = [{ prompt: [begins, photo, "d"], maxTokens: 4 }];
      const others = requests.map((request) => engine.start(request));
      await engine.allEnded();
      expect(engine.failures).toEqual([]);
      expect(first.text).toBe(await textAlone({ prompt: [begins, large, "c"], maxTokens: 4 }));
      for (const [index, request] of requests.entries()) {
        expect(others[index]?.text).toBe(await textAlone(request));
      }
    },
  );
});

describe.each([
  { name: "if states can be truncated", options: {} },
  { name: "in the unified layout", options: { cells: 300 } },
  { name: "if states cannot be truncated", options: { partialTruncation: "unsupported" as const } },
])("a generation that is cancelled within an image, $name", ({ options }) => {
  test("leaves its sequence usable for the next prompt", async () => {
    const large = imageOf("large", 60);
    let cachedTokens: number | undefined;
    const engine = timed({ slots: 1, batchSize: 16, ...options });
    const request = { prompt: ["ab".repeat(20), large, "c"], maxTokens: 9 };
    const cancelled = engine.start(request);
    await waitUntil(() => engine.context.pieces.length === 2);
    engine.cancel(cancelled.id);
    await engine.allEnded();
    expect(cancelled.finalEvent).toEqual({ type: "cancelled" });
    expect(engine.context.pieces.length).toBeLessThan(4);
    for (const image of [map, large]) {
      const other = { prompt: ["ab".repeat(20), image, "c"], maxTokens: 9 };
      const again = engine.start(other);
      await engine.allEnded();
      expect(again.text).toBe(await textAlone(other));
      if (image === map) cachedTokens = again.cachedTokens;
    }
    const isTruncated = engine.context.partialTruncation === "supported";
    expect(cachedTokens).toBe(isTruncated ? 40 : 0);
    expect(engine.context.openSamplers).toBe(0);
  });
});

test("encoding of an image stops when no generation needs it", async () => {
  const projector = new SimulatedProjector({ lets: Number.POSITIVE_INFINITY });
  const engine = timed({ projector });
  const generation = engine.start({ prompt: ["ab", photo, "c"] });
  await waitUntil(() => projector.encodings.length === 1);
  engine.cancel(generation.id);
  await engine.allEnded();
  await waitUntil(() => !engine.media.isBusy);
  expect(engine.context.pieces).toEqual([]);
  expect(generation.endings).toEqual(["cancelled"]);
});

describe("an image that cannot be encoded", () => {
  test("ends exactly the generations that contain it", async () => {
    const projector = new SimulatedProjector({ broken: ["map"] });
    const engine = timed({ slots: 4, projector });
    const sound = [
      { prompt: "abc", maxTokens: 20 },
      { prompt: ["ab", photo, "c"], maxTokens: 5 },
    ];
    const broken = [
      { prompt: ["ab", map, "c"], maxTokens: 5 },
      { prompt: ["ab", photo, "d", map, "c"], maxTokens: 5 },
    ];
    const fine = sound.map((request) => engine.start(request));
    const failed = broken.map((request) => engine.start(request));
    await engine.allEnded();
    for (const [index, request] of sound.entries()) {
      expect(fine[index]?.text).toBe(await textAlone(request));
    }
    for (const { endings } of failed) expect(endings).toEqual(["failed"]);
    expect(engine.failures).toHaveLength(2);
    expect(engine.failures[0]).toMatchObject({
      scope: "generation",
      error: { message: "map cannot be encoded" },
    });
  });

  test("is tried again for the next generation that contains it", async () => {
    const projector = new SimulatedProjector({ broken: ["map"] });
    const engine = timed({ slots: 1, projector });
    for (let time = 0; time < 2; time++) {
      engine.start({ prompt: ["ab", map, "c"] });
      await engine.allEnded();
    }
    expect(projector.encodings).toEqual(["map", "map"]);
    expect(engine.failures).toHaveLength(2);
  });
});

test("an image that cannot be evaluated ends only its generation, and the sequence is reused", async () => {
  let isBroken = true;
  const engine = timed({
    slots: 2,
    onCall: ({ kind }) => {
      if (kind === "evaluate-media" && isBroken) throw new Error("no place in the cache");
      return undefined;
    },
  });
  const other = engine.start({ prompt: "abc", maxTokens: 30 });
  const failed = engine.start({ prompt: ["ab", photo, "c"] });
  await waitUntil(() => failed.finalEvent !== undefined);
  isBroken = false;
  const again = engine.start({ prompt: ["ab", photo, "c"] });
  await engine.allEnded();
  expect([failed.endings, again.endings]).toEqual([["failed"], ["finished"]]);
  expect(again.text).toBe(await textAlone({ prompt: ["ab", photo, "c"] }));
  expect(other.text).toBe(await textAlone({ prompt: "abc", maxTokens: 30 }));
});

test("an image is evaluated with the adapters of its generation", async () => {
  const seen = new Map<number, readonly string[]>();
  const engine = timed({
    slots: 2,
    next: (held, _, under) => {
      seen.set(held.length, under);
      return held.length % 26;
    },
  });
  const adapters = [{ id: "a", scale: 1 }];
  engine.start({ prompt: [photo, "de", map, "f"], adapters, maxTokens: 1 });
  engine.start({ prompt: "b".repeat(40), maxTokens: 30 });
  await engine.allEnded();
  expect(engine.failures).toEqual([]);
  expect(new Set(seen.get(23))).toEqual(new Set([JSON.stringify(adapters)]));
});
