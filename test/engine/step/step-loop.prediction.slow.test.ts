import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  END,
  mixedModel,
  type SimulatedEngine,
  type SimulatedEngineOptions,
  type SimulatedRequest,
} from "../simulated/simulated-engine.js";
import { timedEngine } from "../simulated/timed-engine.js";

/** Never ends, and generates nothing that prompt lookup could propose. */
const unrepetitive = (held: readonly number[]) => Math.abs(mixedModel(held)) % END;

const openEngine = (options: SimulatedEngineOptions = {}) =>
  timedEngine({ next: unrepetitive, speculation: "auto", ...options });

async function answerAll(engine: SimulatedEngine, requests: readonly SimulatedRequest[]) {
  const generations = requests.map((request) => engine.start({ maxTokens: 100, ...request }));
  await engine.allEnded();
  expect(engine.failures).toEqual([]);
  return generations.map(({ text, finalEvent }) => {
    if (finalEvent?.type !== "finished") throw new Error(`ended by ${finalEvent?.type}`);
    return { text, ...finalEvent };
  });
}

async function answer(request: SimulatedRequest, options: SimulatedEngineOptions = {}) {
  const engine = openEngine(options);
  const [only] = await answerAll(engine, [request]);
  if (only === undefined) throw new Error("no answer");
  return { ...only, steps: engine.context.batches.length };
}

const models: readonly SimulatedEngineOptions[] = [
  {},
  { partialTruncation: "unsupported", retraction: "truncate" },
  { partialTruncation: "unsupported", retraction: "rewind" },
];

const plain = await answer({ prompt: "question" });
const changedAt = (text: string, ...places: number[]) =>
  [...text].map((letter, place) => (places.includes(place) ? "z" : letter)).join("");

describe.each(models)("a prediction, for a model with %j", (model) => {
  const ask = (prediction: string, fields: SimulatedRequest = {}) =>
    answer({ prompt: "question", prediction, ...fields }, model);

  test("that is correct yields the same text in few steps", async () => {
    const { text, steps, usage } = await ask(plain.text);
    expect(text).toBe(plain.text);
    expect(plain.steps).toBe(100);
    expect(steps).toBeLessThan(15);
    const { acceptedTokens = 0, rejectedTokens } = usage.prediction ?? {};
    expect(acceptedTokens).toBeGreaterThan(80);
    expect(rejectedTokens).toBe(0);
    expect(usage.completionTokens).toBe(plain.usage.completionTokens);
  });

  test("that is partly correct yields the same text in fewer steps", async () => {
    const { text, steps, usage } = await ask(changedAt(plain.text, 20, 50));
    expect(text).toBe(plain.text);
    expect(steps).toBeLessThan(50);
    expect(usage.prediction?.acceptedTokens).toBeGreaterThan(50);
    expect(usage.prediction?.rejectedTokens).toBeGreaterThan(0);
  });

  test("that is wrong yields the same text and is rarely tried", async () => {
    const { text, usage } = await ask("abcdefghijklmnopqrstuvwxyz".repeat(9));
    expect(text).toBe(plain.text);
    expect(usage.prediction?.rejectedTokens).toBeLessThan(20);
  });

  test("may be longer than the generated text", async () => {
    const { text, reason, usage } = await ask(`${plain.text}abc`, { maxTokens: 40 });
    expect([text, reason]).toEqual([plain.text.slice(0, 40), "length"]);
    expect(usage.prediction?.rejectedTokens).toBe(0);
  });

  test("counts as accepted up to a stop string", async () => {
    const stop = [plain.text.slice(20, 23)];
    const { text, usage } = await ask(plain.text, { stop });
    expect(text).toBe(plain.text.slice(0, plain.text.indexOf(stop[0] ?? "")));
    const { acceptedTokens = 0, rejectedTokens } = usage.prediction ?? {};
    expect(acceptedTokens).toBeGreaterThan(10);
    expect(acceptedTokens).toBeLessThan(usage.completionTokens);
    expect(rejectedTokens).toBe(0);
  });

  test("is accepted up to the end of the text allowed by a constraint", async () => {
    const pattern = "?????????";
    const prediction = plain.text.slice(0, pattern.length);
    const { text, reason, usage } = await ask(prediction, { pattern });
    expect([text, reason]).toEqual([prediction, "stop"]);
    expect(usage.prediction).toEqual({ acceptedTokens: pattern.length - 1, rejectedTokens: 0 });
  });

  test("never changes the output of any generation", async () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "q", "z"), maxLength: 30 });
    const edit = fc.record({ at: fc.nat(60), deleted: fc.nat(5), inserted: letters });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(edit, { maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(undefined, "??a????b???", "?x?"),
        fc.constantFrom([], ["ab", "q"]),
        async (edits, pattern, stop) => {
          const requests = edits.map((_, index) => ({
            prompt: "question".repeat(index + 1),
            maxTokens: 60,
            stop,
            ...(pattern !== undefined && { pattern }),
          }));
          const expected = await answerAll(
            openEngine({ ...model, slots: 4, speculation: "off" }),
            requests,
          );
          const predicted = requests.map((request, index) => ({
            ...request,
            prediction: (edits[index] ?? []).reduce(
              (text, { at, deleted, inserted }) =>
                text.slice(0, at) + inserted + text.slice(at + deleted),
              expected[index]?.text ?? "",
            ),
          }));
          const answers = await answerAll(openEngine({ ...model, slots: 4 }), predicted);
          const textsOf = (given: typeof answers) =>
            given.map(({ text, reason, usage }) => [text, reason, usage.completionTokens]);
          expect(textsOf(answers)).toEqual(textsOf(expected));
          for (const { usage } of answers) {
            const { acceptedTokens = -1, rejectedTokens = -1 } = usage.prediction ?? {};
            expect(acceptedTokens).toBeGreaterThanOrEqual(0);
            expect(acceptedTokens).toBeLessThanOrEqual(usage.completionTokens);
            expect(rejectedTokens).toBeGreaterThanOrEqual(0);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("a prediction", () => {
  test("is not used without speculation", async () => {
    const request = { prompt: "question", prediction: plain.text };
    const { text, steps, usage } = await answer(request, { speculation: "off" });
    expect([text, steps]).toEqual([plain.text, 100]);
    expect(usage.prediction).toEqual({ acceptedTokens: 0, rejectedTokens: 0 });
  });

  test("is not reported in the usage if the request has none", () => {
    expect(plain.usage).not.toHaveProperty("prediction");
  });

  test("samples once per token, so that a seed yields the same text", async () => {
    const next = (held: readonly number[], draw: number) =>
      draw % 4 === 0 ? Math.abs(mixedModel([...held, draw])) % END : unrepetitive(held);
    const drawn = await answer({ prompt: "question" }, { next, speculation: "off" });
    const prediction = changedAt(drawn.text, 50);
    const { text, usage } = await answer({ prompt: "question", prediction }, { next });
    expect(text).toBe(drawn.text);
    expect(usage.prediction?.acceptedTokens).toBeGreaterThan(40);
  });
});
