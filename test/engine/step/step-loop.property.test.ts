import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallHook } from "../simulated/simulated-context.js";
import {
  mixedModel,
  SimulatedEngine,
  type SimulatedGeneration,
  type SimulatedRequest,
  turns,
} from "../simulated/simulated-engine.js";

const BATCH_SIZE = 8;

interface Visit {
  readonly request: SimulatedRequest;
  /** Turns of the event loop since the visit before. */
  readonly delay: number;
  /** When the client goes away, counted from its arrival; `undefined`: it stays. */
  readonly leaves: { readonly after: "events" | "turns"; readonly count: number } | undefined;
}

/** Few letters, so that prompts share prefixes; some of them long enough to wait for. */
const start = fc.constantFrom("", "", "ab".repeat(60));
const rest = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 30 });
const prompt = fc.tuple(start, rest).map((parts) => parts.join(""));
const visit: fc.Arbitrary<Visit> = fc.record({
  request: fc.record({
    prompt,
    maxTokens: fc.integer({ min: 1, max: 12 }),
    stop: fc.constantFrom([], [], ["q"], ["ab", "c"]),
  }),
  delay: fc.nat(6),
  leaves: fc.option(
    fc.oneof(
      fc.record({ after: fc.constant("events" as const), count: fc.nat(4) }),
      fc.record({ after: fc.constant("turns" as const), count: fc.nat(40) }),
    ),
    { nil: undefined },
  ),
});

/** A model that often says again what it has said before, so that drafts are right now and then. */
function echoingModel(held: readonly number[]): number {
  const next = mixedModel(held.slice(-3));
  return next % 5 === 0 ? mixedModel(held) : next;
}

/** A draft model that says what the echoing model would say, most of the time. */
function guessingModel(held: readonly number[]): number {
  return mixedModel(held.slice(-3));
}

/** Milliseconds of a pass of the model and of its draft model: drafting pays. */
const PASS_MS = 10;
const DRAFT_PASS_MS = 1;

/** Most events after a cancellation: the tokens of the running step, and the end. */
const MOST_LAST_EVENTS = BATCH_SIZE + 1;

/** Lets everyone visit the engine; resolves when all have ended. */
async function receive(engine: SimulatedEngine, visits: readonly Visit[]) {
  const generations: SimulatedGeneration[] = [];
  const eventsAtCancel = new Map<SimulatedGeneration, number>();
  const cancel = (generation: SimulatedGeneration) => {
    engine.cancel(generation.id);
    eventsAtCancel.set(generation, generation.events.length);
  };
  for (const [index, { request, delay, leaves }] of visits.entries()) {
    await turns(delay);
    const id = `v${index}`;
    let events = 0;
    const onEvent = () => {
      if (leaves?.after === "events" && ++events === leaves.count) cancel(generation);
    };
    const generation = engine.start({ ...request, id, onEvent });
    generations.push(generation);
    if (leaves?.count === 0) cancel(generation);
    else if (leaves?.after === "turns") void turns(leaves.count).then(() => cancel(generation));
  }
  await engine.allEnded();
  for (const [{ events }, before] of eventsAtCancel) {
    expect(events.length - before).toBeLessThanOrEqual(MOST_LAST_EVENTS);
  }
  return generations;
}

async function alone(request: SimulatedRequest): Promise<SimulatedGeneration> {
  const engine = new SimulatedEngine({ slots: 1, batchSize: 256, next: echoingModel });
  const generation = engine.start(request);
  await engine.allEnded();
  return generation;
}

async function expectOwnOutput(generation: SimulatedGeneration, { request, leaves }: Visit) {
  const reference = await alone(request);
  expect(generation.endings).toHaveLength(1);
  if (generation.last?.type === "finished") {
    expect(generation.text).toBe(reference.text);
    expect(reference.last).toMatchObject({ reason: generation.last.reason });
  } else {
    expect(generation.last).toEqual({ type: "cancelled" });
    expect(leaves).toBeDefined();
    expect(reference.text.startsWith(generation.text)).toBe(true);
  }
}

/** All slots run side by side again. */
async function expectAllSlotsFree(engine: SimulatedEngine, slots: number) {
  const before = engine.context.batches.length;
  for (let slot = 0; slot < slots; slot++) engine.start({ prompt: "a", maxTokens: 1 });
  await engine.allEnded();
  expect(engine.context.batches.at(before)).toHaveLength(slots);
  expect(engine.context.openSamplers).toBe(0);
}

test("whatever comes and goes, everyone gets an end and the output it would get alone", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(visit, { minLength: 1, maxLength: 10 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom("supported" as const, "unsupported" as const),
      fc.constantFrom("auto" as const, "off" as const),
      fc.boolean(),
      async (visits, slots, partialTruncation, speculation, withDraftModel) => {
        let now = 0;
        const passing =
          (milliseconds: number): CallHook =>
          ({ kind }) => {
            if (kind === "evaluate") now += milliseconds;
            return undefined;
          };
        const engine = new SimulatedEngine({
          slots,
          batchSize: BATCH_SIZE,
          next: echoingModel,
          partialTruncation,
          speculation,
          clock: () => now,
          onCall: passing(PASS_MS),
          ...(withDraftModel && { draft: { next: guessingModel, onCall: passing(DRAFT_PASS_MS) } }),
        });
        const generations = await receive(engine, visits);
        for (const [index, visited] of visits.entries()) {
          const generation = generations[index];
          if (generation !== undefined) await expectOwnOutput(generation, visited);
        }
        await expectAllSlotsFree(engine, slots);
      },
    ),
    { numRuns: 60 },
  );
});
