import fc from "fast-check";
import { expect, test } from "vitest";
import { SimulatedEngine, type SimulatedRequest, ticks } from "../simulated/simulated-engine.js";

const BATCH_SIZE = 8;
/** Number of steps with the same sequences after which the sequences must be contiguous. */
const SETTLED_AFTER_STEPS = 24;

interface Arrival {
  readonly request: SimulatedRequest;
  /** Iterations of the event loop since the previous arrival. */
  readonly delayTicks: number;
}

/**
 * Settled steps at the start of a generation and at each of its events. One more may be in progress at
 * the start, which the generation cannot join.
 */
interface Timeline {
  readonly startStep: number;
  readonly eventSteps: number[];
}

const arrivalLists: fc.Arbitrary<Arrival[]> = fc.array(
  fc.record({
    request: fc.record({
      prompt: fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 40 }),
      maxTokens: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 50, max: 80 })),
    }),
    delayTicks: fc.nat(8),
  }),
  { minLength: 1, maxLength: 12 },
);

/**
 * Starts all generations at their arrival times and waits for their ends, without cancellations.
 */
async function run(engine: SimulatedEngine, arrivals: readonly Arrival[]): Promise<Timeline[]> {
  const timelines: Timeline[] = [];
  for (const { request, delayTicks } of arrivals) {
    await ticks(delayTicks);
    const eventSteps: number[] = [];
    timelines.push({ startStep: engine.reports.length, eventSteps });
    engine.start({ ...request, onEvent: () => eventSteps.push(engine.reports.length) });
  }
  await engine.allEnded();
  return timelines;
}

function check(property: (arrivals: readonly Arrival[], slots: number) => Promise<void>) {
  const slots = fc.integer({ min: 1, max: 5 });
  return fc.assert(fc.asyncProperty(arrivalLists, slots, property), { numRuns: 40 });
}

/** Steps between two tokens of a generation. */
function skippedSteps({ eventSteps }: Timeline): number[] {
  return eventSteps.slice(1, -1).flatMap((step, index) => {
    const before = eventSteps[index] ?? step;
    return Array.from({ length: step - before - 1 }, (_, skipped) => before + 1 + skipped);
  });
}

test("a decoding generation gets a token in every step except during decoding pauses", () =>
  check(async (arrivals, slots) => {
    const engine = new SimulatedEngine({ slots, batchSize: BATCH_SIZE });
    const skipped = (await run(engine, arrivals)).flatMap(skippedSteps);
    const isDecoding = (step: number) => engine.reports[step]?.decodeTokens !== 0;
    expect(skipped.filter(isDecoding)).toEqual([]);
  }));

test("no slot is idle in a step while a generation waits for its first token", () =>
  check(async (arrivals, slots) => {
    const engine = new SimulatedEngine({ slots, batchSize: BATCH_SIZE });
    const timelines = await run(engine, arrivals);
    for (const [step, { decodeTokens, prefillTokens }] of engine.reports.entries()) {
      const present = timelines.filter(
        ({ startStep, eventSteps }) => startStep + 1 < step && step <= (eventSteps.at(-1) ?? 0),
      );
      if (decodeTokens < Math.min(slots, present.length)) expect(prefillTokens).toBeGreaterThan(0);
    }
  }));

test("long generations are moved next to each other", () =>
  check(async (arrivals, slots) => {
    const engine = new SimulatedEngine({ slots, batchSize: BATCH_SIZE });
    await run(engine, arrivals);
    const batches = engine.context.batches.map((parts) =>
      parts.map(({ sequenceId }) => sequenceId),
    );
    for (const [index, ids] of batches.entries()) {
      const before = batches.slice(Math.max(0, index - SETTLED_AFTER_STEPS), index);
      const isSettled = before.length === SETTLED_AFTER_STEPS;
      if (!isSettled || before.some(({ length }) => length !== ids.length)) continue;
      expect(ids).toEqual(ids.map((_, place) => (ids[0] ?? 0) + place));
    }
  }));
