import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { GenerationEvent } from "../../src/core/generation-event.js";
import { PartialAnswer } from "../../src/queue/generation-run.js";
import { delta, finished } from "../support/generation-events.js";

const usage = { promptTokens: 1, cachedTokens: 0, completionTokens: 1, reasoningTokens: 0 };

/** Event of an engine, and the tokens that it reports. */
type Told = readonly [event: GenerationEvent, tokens: readonly number[]];

function scoresOf(bytes: readonly number[]): GenerationEvent {
  const scores = bytes.map((byte) => ({ id: 1, bytes: [byte], top: [] }));
  return { type: "prompt-scores", scores, usage };
}

const text = fc.string({ maxLength: 4 });
const part = fc.oneof(
  text.map((written): GenerationEvent => delta(written)),
  text.map((written): GenerationEvent => ({ type: "reasoning-delta", text: written, usage })),
  fc
    .record({ name: text, id: text })
    .map((call): GenerationEvent => ({ type: "tool-call-begin", index: 0, ...call, usage })),
  text.map(
    (written): GenerationEvent => ({
      type: "tool-call-arguments",
      index: 0,
      text: written,
      usage,
    }),
  ),
);
const told = fc.array(fc.tuple(part, fc.array(fc.nat(1000), { maxLength: 3 })), { maxLength: 20 });

/** Numbers of events after which the engine crashes. */
const crashes = fc.array(fc.nat(22), { maxLength: 4 });

/** The same answer from another engine, whose call ids may be random. */
function again(answer: readonly Told[], engine: number): readonly Told[] {
  return answer.map(([event, tokens]) => [
    event.type === "tool-call-begin" ? { ...event, id: `${event.id}-${engine}` } : event,
    tokens,
  ]);
}

/** Events forwarded to the client while the engine crashes repeatedly. */
function passed(answer: readonly Told[], cuts: readonly number[]): (GenerationEvent | undefined)[] {
  const soFar = new PartialAnswer();
  const events: (GenerationEvent | undefined)[] = [];
  for (const [engine, cut] of [...cuts, answer.length].entries()) {
    for (const [event, tokens] of again(answer, engine).slice(0, cut)) {
      events.push(soFar.take(event, tokens));
    }
    soFar.restart();
  }
  return events.filter((event) => event !== undefined);
}

/** Events without call ids. */
const contentOf = (event: GenerationEvent | undefined) =>
  event?.type === "tool-call-begin" ? { ...event, id: "" } : event;

describe("an answer", () => {
  test("from a single engine is forwarded unchanged", () => {
    fc.assert(
      fc.property(told, (answer) => {
        const soFar = new PartialAnswer();
        for (const [event, tokens] of answer) expect(soFar.take(event, tokens)).toBe(event);
        expect(soFar.take(finished, [])).toBe(finished);
        expect(soFar.tokens).toEqual(answer.flatMap(([, tokens]) => tokens));
      }),
    );
  });

  test("interrupted by any number of crashes is forwarded like an uninterrupted one", () => {
    fc.assert(
      fc.property(told, crashes, (answer, cuts) => {
        const whole: Told[] = [...answer, [finished, []]];
        const unfinished = cuts.map((cut) => Math.min(cut, answer.length));
        expect(passed(whole, unfinished).map(contentOf)).toEqual(
          whole.map(([event]) => contentOf(event)),
        );
      }),
    );
  });

  test("keeps the ids of tool calls that the client has already received", () => {
    const call: GenerationEvent = { type: "tool-call-begin", index: 0, id: "c", name: "f", usage };
    expect(
      passed(
        [
          [call, []],
          [finished, []],
        ],
        [1],
      ),
    ).toEqual([{ ...call, id: "c-0" }, finished]);
  });

  test("resumes in the next engine from all tokens generated so far", () => {
    fc.assert(
      fc.property(told, crashes, (answer, cuts) => {
        const soFar = new PartialAnswer();
        for (const cut of cuts) {
          for (const [event, tokens] of answer.slice(0, cut)) soFar.take(event, tokens);
          soFar.restart();
        }
        const longest = Math.max(0, ...cuts);
        expect(soFar.tokens).toEqual(answer.slice(0, longest).flatMap(([, tokens]) => tokens));
      }),
    );
  });

  test("has begun after its first text or score, but not after a failure", () => {
    const soFar = new PartialAnswer();
    expect(soFar.hasBegun).toBe(false);
    soFar.take(scoresOf([]), []);
    soFar.take({ type: "cancelled" }, []);
    expect(soFar.hasBegun).toBe(false);
    soFar.take(scoresOf([1]), []);
    expect(soFar.hasBegun).toBe(true);
  });
});

describe("prompt scores", () => {
  test("are forwarded exactly once, for any division into batches", () => {
    const pieces = fc.array(fc.array(fc.nat(255), { maxLength: 4 }), { maxLength: 6 });
    fc.assert(
      fc.property(pieces, fc.nat(6), fc.integer({ min: 1, max: 5 }), (first, cut, size) => {
        const prompt = first.flat();
        const soFar = new PartialAnswer();
        const seen: number[] = [];
        const take = (bytes: readonly number[]) => {
          const fresh = soFar.take(scoresOf(bytes), []);
          if (fresh?.type === "prompt-scores") {
            seen.push(...fresh.scores.flatMap((score) => score.bytes));
          }
        };
        for (const piece of first.slice(0, cut)) take(piece);
        soFar.restart();
        for (let at = 0; at < prompt.length; at += size) take(prompt.slice(at, at + size));
        expect(seen).toEqual(prompt);
      }),
    );
  });
});

describe("a mismatch after an answer is resumed", () => {
  function resumed(known: readonly GenerationEvent[]): PartialAnswer {
    const soFar = new PartialAnswer();
    for (const event of known) soFar.take(event, []);
    soFar.restart();
    return soFar;
  }

  test.each<[string, GenerationEvent[]]>([
    ["different text", [delta("Hello "), delta("whirl")]],
    ["text of a different length", [delta("Hello "), delta("worlds")]],
    ["different text at the beginning", [delta("hello "), delta("world")]],
    [
      "reasoning instead of text",
      [delta("Hello "), { type: "reasoning-delta", text: "world", usage }],
    ],
    ["an early end", [delta("Hello "), finished]],
  ])("is detected if the new engine generates %s", (_, other) => {
    const soFar = resumed([delta("Hello "), delta("world")]);
    expect(() => {
      for (const event of other) soFar.take(event, []);
    }).toThrow("the restarted engine generated a different beginning of the answer");
  });

  test("is not reported if the answer is cancelled or fails", () => {
    const soFar = resumed([delta("Hello")]);
    expect(soFar.take({ type: "cancelled" }, [])).toEqual({ type: "cancelled" });
  });

  test("is detected in any part that has been delivered", () => {
    const texts = fc.array(fc.string({ minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 9,
    });
    fc.assert(
      fc.property(texts, fc.nat(8), (parts, index) => {
        const soFar = resumed(parts.map(delta));
        const at = index % parts.length;
        const other = parts.map((written, position) =>
          delta(position === at ? `${written.slice(1)}${written[0] === "a" ? "b" : "a"}` : written),
        );
        fc.pre(other.some((event, position) => "text" in event && event.text !== parts[position]));
        expect(() => {
          for (const event of other) soFar.take(event, []);
        }).toThrow();
      }),
    );
  });
});
