import fc from "fast-check";
import { expect, test } from "vitest";
import {
  mixedModel,
  SimulatedEngine,
  type SimulatedEngineOptions,
  type SimulatedGeneration,
  type SimulatedRequest,
  ticks,
} from "../simulated/simulated-engine.js";
import { imageOf, SimulatedProjector } from "../simulated/simulated-media.js";

/** Model whose text depends on everything before it, and never ends. */
const endlessModel = (held: readonly number[]) => mixedModel(held) % 26;

const outcomes = new Map<string, string>();

/** Output of a generation that runs alone; `failed` if one of its images cannot be encoded. */
async function outcomeAlone(request: SimulatedRequest): Promise<string> {
  const key = JSON.stringify(request);
  const known = outcomes.get(key);
  if (known !== undefined) return known;
  const projector = new SimulatedProjector({ broken: ["broken"] });
  const engine = new SimulatedEngine({ slots: 1, batchSize: 256, next: mixedModel, projector });
  const generation = engine.start(request);
  await engine.allEnded();
  const outcome = outcomeOf(generation);
  outcomes.set(key, outcome);
  return outcome;
}

function outcomeOf({ finalEvent, text }: SimulatedGeneration): string {
  return finalEvent?.type === "finished" ? `${finalEvent.reason}: ${text}` : `${finalEvent?.type}`;
}

const images = [
  imageOf("photo", 10),
  imageOf("map", 10),
  imageOf("film", 40),
  imageOf("grid", 12, { positions: 4 }),
  imageOf("large grid", 45, { positions: 9 }),
  imageOf("whole", 14, { isCausal: false }),
  imageOf("broken", 5),
];
const some = fc.constantFrom(...images);
const text = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 12 });

interface Arrival {
  readonly request: SimulatedRequest;
  /** Iterations of the event loop since the previous arrival. */
  readonly delayTicks: number;
  /** Event-loop iterations from the arrival to the cancellation; `undefined` if not cancelled. */
  readonly cancelledAfter: number | undefined;
}

/** Few beginnings, so that prompts share them, with texts before, between and after images. */
const arrival: fc.Arbitrary<Arrival> = fc.record({
  request: fc.record({
    prompt: fc
      .tuple(
        fc.constantFrom([], ["ab".repeat(15)], ["ab".repeat(40)], ["ab".repeat(10), images[2]]),
        fc.array(fc.oneof(some, text), { maxLength: 3 }),
        text,
      )
      .map(([beginning, middle, end]) =>
        [...beginning, ...middle, end].filter((part) => part !== undefined),
      ),
    maxTokens: fc.integer({ min: 1, max: 25 }),
    limitedBy: fc.constantFrom("request" as const, "context" as const),
    adapters: fc.constantFrom([], [], [], [{ id: "a", scale: 1 }]),
  }),
  delayTicks: fc.nat(6),
  cancelledAfter: fc.option(fc.nat(30), { nil: undefined }),
});

test("every generation ends exactly once, with the same result as alone, for any arrivals and cancellations", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom<SimulatedEngineOptions>(
        {},
        // The longest prompt just fits into the context.
        { cells: 260 },
        { cells: 300, mixing: "separate" },
        { partialTruncation: "unsupported", retraction: "truncate" },
        { partialTruncation: "unsupported", retraction: "rewind" },
      ),
      fc.constantFrom("auto" as const, "off" as const),
      fc.constantFrom(300, 40, "none" as const),
      fc.constantFrom(0, 1, 4),
      fc.constantFrom(Number.POSITIVE_INFINITY, 200, 0),
      async (arrivals, slots, options, speculation, maxStoredTokens, lets, maxMediaBytes) => {
        let now = 0;
        const engine = new SimulatedEngine({
          ...{ slots, batchSize: 16, next: mixedModel, speculation, maxStoredTokens },
          ...{ projector: new SimulatedProjector({ lets, broken: ["broken"] }), maxMediaBytes },
          clock: () => now,
          onCall: ({ kind, piece }) => {
            if (kind === "evaluate") now += 10;
            if (piece !== undefined) now += piece.to - piece.from;
            return undefined;
          },
          ...options,
        });
        const generations: SimulatedGeneration[] = [];
        for (const { request, delayTicks, cancelledAfter } of arrivals) {
          await ticks(delayTicks);
          const generation = engine.start(request);
          generations.push(generation);
          if (cancelledAfter === undefined) continue;
          void ticks(cancelledAfter).then(() => engine.cancel(generation.id));
        }
        await engine.allEnded();
        for (const [index, { request, cancelledAfter }] of arrivals.entries()) {
          const generation = generations[index];
          if (generation === undefined) continue;
          const alone = await outcomeAlone(request);
          expect(generation.endings).toHaveLength(1);
          if (generation.finalEvent?.type === "cancelled") {
            expect(cancelledAfter).toBeDefined();
          } else {
            expect(outcomeOf(generation)).toBe(alone);
          }
        }
        expect(engine.context.openSamplers).toBe(0);
        expect(engine.context.openMarks).toBe(0);
        expect(engine.media.heldBytes).toBeLessThanOrEqual(maxMediaBytes);
      },
    ),
    { numRuns: 80 },
  );
});

async function textAlone(request: SimulatedRequest): Promise<string> {
  const engine = new SimulatedEngine({ slots: 1, batchSize: 256, next: endlessModel });
  const generation = engine.start(request);
  await engine.allEnded();
  return generation.text;
}

test("a generation suspended within an image evaluates the image again and gets the same answer", async () => {
  const large = imageOf("large", 100);
  const requests = [
    { prompt: "ab".repeat(10), maxTokens: 60, limitedBy: "context" },
    { prompt: ["ab".repeat(10), large, "c"], maxTokens: 20, limitedBy: "context" },
  ] as const;
  const texts = await Promise.all(requests.map((request) => textAlone(request)));
  let begunAgain = 0;
  for (let cells = 144; cells < 168; cells += 4) {
    const engine = new SimulatedEngine({ slots: 2, cells, batchSize: 16, next: endlessModel });
    const generations: SimulatedGeneration[] = [];
    for (const request of requests) {
      generations.push(engine.start(request));
      await ticks(4);
    }
    await engine.allEnded();
    expect(generations.map(({ text }) => text)).toEqual(texts);
    const begins = engine.context.pieces.filter(({ from }) => from === 0).length;
    if (begins > 1 && engine.counters.suspensions > 0) begunAgain++;
  }
  expect(begunAgain).toBeGreaterThan(0);
});
