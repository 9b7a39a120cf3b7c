import fc from "fast-check";
import { expect, test } from "vitest";
import {
  mixedModel,
  SimulatedEngine,
  type SimulatedGeneration,
  type SimulatedRequest,
  turns,
} from "./simulated-engine.js";
import type { SequenceCall } from "./simulated-sequence.js";

const BATCH_SIZE = 8;

interface Arrival {
  readonly request: SimulatedRequest;
  /** Turns of the event loop before it comes. */
  readonly delay: number;
  /** Events after which the client goes away; `undefined`: it stays. */
  readonly leavesAfter: number | undefined;
}

/** Few letters, so that prompts share prefixes. */
const prompt = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 30 });
const arrival: fc.Arbitrary<Arrival> = fc.record({
  request: fc.record({
    prompt,
    maxTokens: fc.integer({ min: 1, max: 12 }),
    stop: fc.constantFrom([], [], ["q"], ["ab", "c"]),
  }),
  delay: fc.nat(6),
  leavesAfter: fc.oneof(fc.constant(undefined), fc.constant(undefined), fc.nat(4)),
});

function batchesOf(calls: readonly SequenceCall[][]): number[] {
  return calls.map((batch) => batch.reduce((sum, { tokens }) => sum + tokens, 0));
}

async function serve(engine: SimulatedEngine, arrivals: readonly Arrival[]) {
  const generations: SimulatedGeneration[] = [];
  for (const [index, { request, delay, leavesAfter }] of arrivals.entries()) {
    await turns(delay);
    const id = `r${index}`;
    let told = 0;
    generations.push(
      engine.start({
        ...request,
        id,
        onEvent: () => {
          if (++told === leavesAfter) engine.cancel(id);
        },
      }),
    );
    if (leavesAfter === 0) engine.cancel(id);
  }
  await engine.allEnded();
  return generations;
}

async function alone(request: SimulatedRequest): Promise<SimulatedGeneration> {
  const engine = new SimulatedEngine({ slots: 1, batchSize: 64, next: mixedModel });
  const generation = engine.start(request);
  await engine.allEnded();
  return generation;
}

test("whatever comes and goes, everyone gets an end and the output it would get alone", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { minLength: 1, maxLength: 10 }),
      fc.integer({ min: 1, max: 4 }),
      async (arrivals, slots) => {
        const engine = new SimulatedEngine({ slots, batchSize: BATCH_SIZE, next: mixedModel });
        const generations = await serve(engine, arrivals);

        for (const [index, generation] of generations.entries()) {
          const reference = await alone(arrivals[index]?.request ?? {});
          expect(generation.endings).toHaveLength(1);
          if (generation.last?.type === "finished") {
            expect(generation.text).toBe(reference.text);
            expect(generation.last.reason).toBe(
              reference.last?.type === "finished" ? reference.last.reason : "finished",
            );
          } else {
            expect(generation.last).toEqual({ type: "cancelled" });
            expect(arrivals[index]?.leavesAfter).toBeDefined();
            expect(reference.text.startsWith(generation.text)).toBe(true);
          }
        }

        const batches = engine.simulation.batches();
        expect(Math.max(0, ...batchesOf(batches))).toBeLessThanOrEqual(BATCH_SIZE);
        for (const batch of batches) {
          const ids = batch.map(({ sequenceId }) => sequenceId);
          expect(ids).toEqual(ids.toSorted((a, b) => a - b));
        }

        // Every lease has been returned: all slots run side by side again.
        const before = engine.simulation.batches().length;
        for (let slot = 0; slot < slots; slot++) engine.start({ prompt: "a", maxTokens: 1 });
        await engine.allEnded();
        expect(engine.simulation.batches().at(before)).toHaveLength(slots);
      },
    ),
    { numRuns: 60 },
  );
});
