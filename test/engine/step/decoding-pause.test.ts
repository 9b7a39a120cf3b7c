import { describe, expect, test } from "vitest";
import { DecodingPause } from "../../../src/engine/step/decoding-pause.js";

/** Targets of 100 ms, and 1 ms for a token: up to 875 tokens are short, and a pause takes 16,000. */
const TARGET_MS = 100;
const MS_PER_TOKEN = 1;

const prompt = (admitted: number, uncomputedTokens: number) => ({ admitted, uncomputedTokens });
const prompts = (...tokens: number[]) => tokens.map((one, admitted) => prompt(admitted, one));
const of = (chosen: readonly { readonly admitted: number }[]) =>
  chosen.map(({ admitted }) => admitted);

describe("a pause of decoding", () => {
  test.each<[string, readonly number[], readonly number[]]>([
    ["is for short prompts that wait together", [100, 875, 50], [0, 1, 2]],
    ["is not for one alone", [100], []],
    ["is not for prompts behind a long one", [876, 100, 100], []],
    ["leaves a long one behind them out", [100, 100, 876], [0, 1]],
    ["is not for nobody", [], []],
  ])("%s", (_, tokens, chosen) => {
    const pause = new DecodingPause(TARGET_MS);
    expect(of(pause.promptsFirst(prompts(...tokens), MS_PER_TOKEN))).toEqual(chosen);
  });

  test("does not start while the cost of a token is unknown", () => {
    expect(new DecodingPause(TARGET_MS).promptsFirst(prompts(9, 9), undefined)).toEqual([]);
  });

  test("continues for the last of its initial prompts, and for no later ones", () => {
    const pause = new DecodingPause(TARGET_MS);
    pause.promptsFirst(prompts(100, 100), MS_PER_TOKEN);
    pause.noteStep({ decodeTokens: 0, stepMs: 100 });
    const left = [prompt(1, 100), prompt(2, 10), prompt(3, 10)];
    expect(of(pause.promptsFirst(left, MS_PER_TOKEN))).toEqual([1]);
    pause.noteStep({ decodeTokens: 0, stepMs: 100 });
    expect(pause.promptsFirst([prompt(2, 10), prompt(3, 10)], MS_PER_TOKEN)).toEqual([]);
  });

  test("ends with a step that decodes, and starts again after it", () => {
    const pause = new DecodingPause(TARGET_MS);
    pause.promptsFirst(prompts(100, 100), MS_PER_TOKEN);
    pause.noteStep({ decodeTokens: 3, stepMs: 50 });
    expect(pause.promptsFirst([prompt(1, 100)], MS_PER_TOKEN)).toEqual([]);
    expect(of(pause.promptsFirst([prompt(1, 100), prompt(2, 9)], MS_PER_TOKEN))).toEqual([1, 2]);
  });

  test("takes 160 targets at most", () => {
    const pause = new DecodingPause(TARGET_MS);
    const many = prompts(...new Array<number>(200).fill(100));
    let steps = 0;
    for (; pause.promptsFirst(many.slice(steps), MS_PER_TOKEN).length > 0; steps++) {
      pause.noteStep({ decodeTokens: 0, stepMs: 100 });
    }
    expect(steps).toBe(160);
  });

  test("is not extended by steps without waiting decoders", () => {
    const pause = new DecodingPause(TARGET_MS);
    pause.noteStep({ decodeTokens: 0, stepMs: 10_000 });
    expect(pause.promptsFirst(prompts(100, 100), MS_PER_TOKEN)).toHaveLength(2);
  });
});
