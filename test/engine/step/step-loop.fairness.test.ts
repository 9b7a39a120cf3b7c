import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallHook } from "../simulated/simulated-context.js";
import { SimulatedEngine, type SimulatedRequest, turns } from "../simulated/simulated-engine.js";

const BATCH_SIZE = 8;
const PASS_MS = 300;
const MOST_PAUSED_MS = 5000;
/** Steps of unchanged company after which nobody may sit behind a gap. */
const SETTLED_AFTER_STEPS = 24;

interface Visit {
  readonly request: SimulatedRequest;
  /** Turns of the event loop since the visit before. */
  readonly delay: number;
}

/** What became of a visit: numbers of steps that were over at its start and at each of its events. */
interface Stay {
  readonly started: number;
  readonly steps: number[];
}

const visits: fc.Arbitrary<Visit[]> = fc.array(
  fc.record({
    request: fc.record({
      prompt: fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 40 }),
      maxTokens: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 50, max: 80 })),
    }),
    delay: fc.nat(8),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Everyone comes and stays; the model writes letters for ever. */
async function receive(engine: SimulatedEngine, coming: readonly Visit[]): Promise<Stay[]> {
  const stays: Stay[] = [];
  for (const { request, delay } of coming) {
    await turns(delay);
    const steps: number[] = [];
    stays.push({ started: engine.reports.length, steps });
    engine.start({ ...request, onEvent: () => steps.push(engine.reports.length) });
  }
  await engine.allEnded();
  return stays;
}

function check(property: (coming: readonly Visit[], slots: number) => Promise<void>) {
  const slots = fc.integer({ min: 1, max: 5 });
  return fc.assert(fc.asyncProperty(visits, slots, property), { numRuns: 100 });
}

/** Steps between two tokens of somebody. */
function skippedSteps({ steps }: Stay): number[] {
  return steps.slice(1, -1).flatMap((step, index) => {
    const before = steps[index] ?? step;
    return Array.from({ length: step - before - 1 }, (_, skipped) => before + 1 + skipped);
  });
}

test("who decodes gets a token in every step but those that are all for first tokens", () =>
  check(async (coming, slots) => {
    const engine = new SimulatedEngine({ slots, batchSize: BATCH_SIZE });
    const stays = await receive(engine, coming);
    for (const step of stays.flatMap(skippedSteps)) {
      expect(engine.reports[step]?.decodeTokens).toBe(0);
      expect(engine.reports[step]?.prefillTokens).toBeGreaterThan(0);
    }
  }));

test("nobody's decoding pauses for longer than ten targets and the step in which that is noticed", () =>
  check(async (coming, slots) => {
    let now = 0;
    const onCall: CallHook = ({ kind }) => {
      if (kind === "evaluate") now += PASS_MS;
      return undefined;
    };
    const options = { slots, batchSize: BATCH_SIZE, onCall, clock: () => now };
    const stays = await receive(new SimulatedEngine(options), coming);
    for (const { steps } of stays) {
      const pauses = steps.slice(1, -1).map((step, index) => step - (steps[index] ?? step));
      expect(Math.max(0, ...pauses)).toBeLessThanOrEqual(Math.ceil(MOST_PAUSED_MS / PASS_MS) + 1);
    }
  }));

test("no step leaves a slot idle while somebody waits for a first token", () =>
  check(async (coming, slots) => {
    const engine = new SimulatedEngine({ slots, batchSize: BATCH_SIZE });
    const stays = await receive(engine, coming);
    for (const [step, { decodeTokens, prefillTokens }] of engine.reports.entries()) {
      const present = stays.filter(
        ({ started, steps }) => started < step && step <= (steps.at(-1) ?? 0),
      );
      if (decodeTokens < Math.min(slots, present.length)) expect(prefillTokens).toBeGreaterThan(0);
    }
  }));

test("who runs on ends up in the lowest sequences", () =>
  check(async (coming, slots) => {
    const engine = new SimulatedEngine({ slots, batchSize: BATCH_SIZE });
    await receive(engine, coming);
    const companies = engine.context.batches.map((parts) =>
      parts.map(({ sequenceId }) => sequenceId),
    );
    for (const [index, ids] of companies.entries()) {
      const before = companies.slice(Math.max(0, index - SETTLED_AFTER_STEPS), index);
      const isSettled = before.length === SETTLED_AFTER_STEPS;
      if (!isSettled || before.some(({ length }) => length !== ids.length)) continue;
      expect(ids).toEqual(ids.map((_, place) => place));
    }
  }));
