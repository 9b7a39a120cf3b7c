import { describe, expect, test } from "vitest";
import { DecodingPause } from "../../../src/engine/step/decoding-pause.js";
import type { QueuedPrompt } from "../../../src/engine/step/prompt-order.js";

/**
 * Targets of 100 ms and 1 ms per token: prompts up to 875 tokens are short, and a pause takes at
 * most 16,000 ms.
 */
const TARGET_MS = 100;
const MS_PER_TOKEN = 1;

const prompt = (admitted: number, uncomputedTokens: number) => ({
  admissionOrder: admitted,
  uncomputedTokens,
});
const prompts = (...tokens: number[]) => tokens.map((one, admitted) => prompt(admitted, one));
/** Prompts of the next step without decoding in between, by their order of admission. */
function promptsOf(pause: DecodingPause, waiting: readonly QueuedPrompt[]) {
  const step = pause.next(waiting, { msPerToken: MS_PER_TOKEN, decodeMs: undefined });
  return step.kind === "prompts" ? step.prompts.map(({ admissionOrder }) => admissionOrder) : [];
}

describe("a decoding pause", () => {
  test.each<[string, readonly number[], readonly number[]]>([
    ["lets several waiting short prompts run", [100, 875, 50], [0, 1, 2]],
    ["does not start for a single prompt", [100], []],
    ["does not start for prompts queued after a long prompt", [876, 100, 100], []],
    ["excludes a long prompt queued after the short ones", [100, 100, 876], [0, 1]],
    ["does not start without prompts", [], []],
  ])("%s", (_, tokens, chosen) => {
    const pause = new DecodingPause(TARGET_MS);
    expect(promptsOf(pause, prompts(...tokens))).toEqual(chosen);
  });

  test("does not start while the cost of a token is unknown", () => {
    const costs = { msPerToken: undefined, decodeMs: 5 };
    const step = new DecodingPause(TARGET_MS).next(prompts(9, 9), costs);
    expect(step).toEqual({ kind: "unpaused" });
  });

  test("continues until its initial prompts are done, and ignores later prompts", () => {
    const pause = new DecodingPause(TARGET_MS);
    promptsOf(pause, prompts(100, 100));
    pause.noteStep({ decodeTokens: 0, stepMs: 100 });
    const left = [prompt(1, 100), prompt(2, 10), prompt(3, 10)];
    expect(promptsOf(pause, left)).toEqual([1]);
    pause.noteStep({ decodeTokens: 0, stepMs: 100 });
    expect(promptsOf(pause, [prompt(2, 10), prompt(3, 10)])).toEqual([]);
  });

  test("ends with a step that decodes, and starts again after it", () => {
    const pause = new DecodingPause(TARGET_MS);
    promptsOf(pause, prompts(100, 100));
    pause.noteStep({ decodeTokens: 3, stepMs: 50 });
    expect(promptsOf(pause, [prompt(1, 100)])).toEqual([]);
    expect(promptsOf(pause, [prompt(1, 100), prompt(2, 9)])).toEqual([1, 2]);
  });

  test("takes at most 160 target step times", () => {
    const pause = new DecodingPause(TARGET_MS);
    const many = prompts(...new Array<number>(200).fill(100));
    let steps = 0;
    for (; promptsOf(pause, many.slice(steps)).length > 0; steps++) {
      pause.noteStep({ decodeTokens: 0, stepMs: 100 });
    }
    expect(steps).toBe(160);
  });

  test("is not extended by steps while no generation is decoding", () => {
    const pause = new DecodingPause(TARGET_MS);
    pause.noteStep({ decodeTokens: 0, stepMs: 10_000 });
    expect(promptsOf(pause, prompts(100, 100))).toHaveLength(2);
  });
});

describe("during a decoding pause", () => {
  /** Kinds of steps while 40 prompts of 50 ms are evaluated, with decoding steps of `decodeMs`. */
  function kindsOfSteps(decodeMs: number) {
    const pause = new DecodingPause(TARGET_MS);
    const waiting = prompts(...new Array<number>(40).fill(50));
    const kinds: string[] = [];
    while (waiting.length > 0) {
      const { kind } = pause.next(waiting, { msPerToken: MS_PER_TOKEN, decodeMs });
      kinds.push(kind);
      if (kind === "unpaused") break;
      if (kind === "prompts") waiting.shift();
      pause.noteStep(
        kind === "tokens" ? { decodeTokens: 3, stepMs: decodeMs } : { decodeTokens: 0, stepMs: 50 },
      );
    }
    return kinds;
  }

  test("each stream gets a token every 200 ms", () => {
    const kinds = kindsOfSteps(5);
    expect(kinds.filter((kind) => kind === "prompts")).toHaveLength(40);
    expect(kinds.slice(0, 10).map((kind) => kind === "tokens")).toEqual(
      [4, 9].flatMap(() => [false, false, false, false, true]),
    );
    expect(kinds).not.toContain("unpaused");
  });

  test("slow decoding takes at most a sixth of the time", () => {
    const kinds = kindsOfSteps(100);
    expect(kinds.indexOf("tokens")).toBe(10);
    expect(kinds.filter((kind) => kind === "tokens")).toHaveLength(3);
  });
});
