import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallHook } from "../simulated/simulated-context.js";
import {
  mixedModel,
  SimulatedEngine,
  type SimulatedEngineOptions,
  type SimulatedGeneration,
  type SimulatedRequest,
  ticks,
} from "../simulated/simulated-engine.js";

const BATCH_SIZE = 8;

interface Arrival {
  readonly request: SimulatedRequest;
  /** Iterations of the event loop since the previous arrival. */
  readonly delayTicks: number;
  /** Time of the cancellation, relative to the arrival; `undefined`: never. */
  readonly cancellation: { readonly after: "events" | "ticks"; readonly count: number } | undefined;
}

/** A small alphabet, so that prompts share prefixes, some of them long enough to wait for. */
const beginning = fc.constantFrom("", "", "ab".repeat(60));
const ending = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 30 });
const prompt = fc.tuple(beginning, ending).map((parts) => parts.join(""));
const arrival: fc.Arbitrary<Arrival> = fc.record({
  request: fc.record({
    prompt,
    maxTokens: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 20, max: 60 })),
    limitedBy: fc.constantFrom("request", "context"),
    stop: fc.constantFrom([], [], ["q"], ["ab", "c"]),
  }),
  delayTicks: fc.nat(6),
  cancellation: fc.option(
    fc.oneof(
      fc.record({ after: fc.constant("events" as const), count: fc.nat(4) }),
      fc.record({ after: fc.constant("ticks" as const), count: fc.nat(40) }),
    ),
    { nil: undefined },
  ),
});

/** A model that often repeats itself, so that some drafts are accepted. */
function repetitiveModel(held: readonly number[]): number {
  const next = mixedModel(held.slice(-3));
  return next % 5 === 0 ? mixedModel(held) : next;
}

/** A draft model that predicts most tokens of the repetitive model. */
function approximateModel(held: readonly number[]): number {
  return mixedModel(held.slice(-3));
}

/** Durations of a pass of the model and of the draft model that make drafting worthwhile. */
const PASS_MS = 10;
const DRAFT_PASS_MS = 1;

/** Maximum number of events after a cancellation: the tokens of two unsettled steps and the end. */
const MAX_EVENTS_AFTER_CANCEL = 2 * BATCH_SIZE + 1;

/** Starts and cancels the generations as scheduled; resolves when all have ended. */
async function run(engine: SimulatedEngine, arrivals: readonly Arrival[]) {
  const generations: SimulatedGeneration[] = [];
  const eventsAtCancel = new Map<SimulatedGeneration, number>();
  const cancel = (generation: SimulatedGeneration) => {
    engine.cancel(generation.id);
    eventsAtCancel.set(generation, generation.events.length);
  };
  for (const [index, { request, delayTicks, cancellation }] of arrivals.entries()) {
    await ticks(delayTicks);
    const id = `arrival-${index}`;
    let events = 0;
    const onEvent = () => {
      if (cancellation?.after === "events" && ++events === cancellation.count) cancel(generation);
    };
    const generation = engine.start({ ...request, id, onEvent });
    generations.push(generation);
    if (cancellation?.count === 0) cancel(generation);
    else if (cancellation?.after === "ticks") {
      void ticks(cancellation.count).then(() => cancel(generation));
    }
  }
  await engine.allEnded();
  for (const [{ events }, before] of eventsAtCancel) {
    expect(events.length - before).toBeLessThanOrEqual(MAX_EVENTS_AFTER_CANCEL);
  }
  return generations;
}

async function alone(request: SimulatedRequest): Promise<SimulatedGeneration> {
  const engine = new SimulatedEngine({ slots: 1, batchSize: 256, next: repetitiveModel });
  const generation = engine.start(request);
  await engine.allEnded();
  return generation;
}

async function expectOwnOutput(
  generation: SimulatedGeneration,
  { request, cancellation }: Arrival,
) {
  const reference = await alone(request);
  expect(generation.endings).toHaveLength(1);
  if (generation.finalEvent?.type === "finished") {
    expect(generation.text).toBe(reference.text);
    expect(reference.finalEvent).toMatchObject({ reason: generation.finalEvent.reason });
  } else {
    expect(generation.finalEvent).toEqual({ type: "cancelled" });
    expect(cancellation).toBeDefined();
    expect(reference.text.startsWith(generation.text)).toBe(true);
  }
}

/** All slots are usable again. */
async function expectAllSlotsFree(engine: SimulatedEngine, slots: number) {
  const before = engine.context.batches.length;
  for (let slot = 0; slot < slots; slot++) engine.start({ prompt: "a", maxTokens: 1 });
  await engine.allEnded();
  expect(engine.context.batches.at(before)).toHaveLength(slots);
  expect(engine.context.openSamplers).toBe(0);
  expect(engine.context.openMarks).toBe(0);
}

test("every generation ends exactly once, with the same output as alone, for any arrivals and cancellations", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { minLength: 1, maxLength: 10 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom<
        Pick<SimulatedEngineOptions, "cells" | "mixing" | "partialTruncation" | "retraction">
      >(
        { partialTruncation: "supported" },
        // The longest text just fits into the context.
        { partialTruncation: "supported", cells: 210 },
        { partialTruncation: "supported", cells: 260, mixing: "separate" },
        { partialTruncation: "unsupported", retraction: "truncate" },
        { partialTruncation: "unsupported", retraction: "rewind" },
      ),
      fc.constantFrom("auto" as const, "off" as const),
      fc.boolean(),
      fc.constantFrom(300, 40, "none" as const),
      async (arrivals, slots, truncation, speculation, withDraftModel, maxStoredTokens) => {
        let now = 0;
        const advanceClock =
          (passMs: number): CallHook =>
          ({ kind }) => {
            if (kind === "evaluate") now += passMs;
            return undefined;
          };
        const engine = new SimulatedEngine({
          slots,
          batchSize: BATCH_SIZE,
          passTokens: Math.ceil(BATCH_SIZE / 4),
          next: repetitiveModel,
          ...truncation,
          maxStoredTokens,
          speculation,
          clock: () => now,
          onCall: advanceClock(PASS_MS),
          ...(withDraftModel && {
            draft: { next: approximateModel, onCall: advanceClock(DRAFT_PASS_MS) },
          }),
        });
        const generations = await run(engine, arrivals);
        for (const [index, arrived] of arrivals.entries()) {
          const generation = generations[index];
          if (generation !== undefined) await expectOwnOutput(generation, arrived);
        }
        await expectAllSlotsFree(engine, slots);
      },
    ),
    { numRuns: 120 },
  );
});
