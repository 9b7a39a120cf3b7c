import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  OVERTAKEN_SHARE,
  orderPrompts,
  PromptQueue,
  type QueuedPrompt,
} from "../../../src/engine/step/prompt-order.js";

const prompt = (admitted: number, uncomputedTokens: number): QueuedPrompt => ({
  admissionOrder: admitted,
  uncomputedTokens,
});

describe("the scheduling order of prompts", () => {
  test.each<{
    rule: string;
    /** Tokens of each prompt and its limit of overtaking tokens, in order of admission. */
    prompts: readonly (readonly [tokens: number, patience: number])[];
    order: readonly number[];
  }>([
    { rule: "is empty without prompts", prompts: [], order: [] },
    {
      rule: "is first come, first served for equal prompts",
      prompts: [
        [100, 1000],
        [100, 1000],
        [100, 1000],
      ],
      order: [0, 1, 2],
    },
    {
      rule: "a shorter prompt overtakes a longer one",
      prompts: [
        [1000, 125],
        [100, 12],
      ],
      order: [1, 0],
    },
    {
      rule: "a longer prompt overtakes no other prompt",
      prompts: [
        [100, 1000],
        [1000, 1000],
      ],
      order: [0, 1],
    },
    {
      rule: "a prompt that has reached its overtaking limit is not overtaken",
      prompts: [
        [1000, 99],
        [100, 12],
      ],
      order: [0, 1],
    },
    {
      rule: "several short prompts overtake in order, up to the overtaking limit",
      prompts: [
        [1000, 250],
        [100, 12],
        [100, 12],
        [100, 12],
      ],
      order: [1, 2, 0, 3],
    },
    {
      rule: "a shorter prompt overtakes prompts that have overtaken others",
      prompts: [
        [10_000, 1250],
        [1000, 125],
        [100, 12],
      ],
      order: [2, 1, 0],
    },
    {
      rule: "a prompt at its overtaking limit also blocks later prompts from overtaking earlier ones",
      prompts: [
        [10_000, 1250],
        [1000, 0],
        [100, 12],
      ],
      order: [1, 2, 0],
    },
  ])("$rule", ({ prompts, order }) => {
    const all = prompts.map(([tokens], admitted) => prompt(admitted, tokens));
    const ordered = orderPrompts(all, ({ admissionOrder }) => prompts[admissionOrder]?.[1] ?? 0);
    expect(ordered.map(({ admissionOrder }) => admissionOrder)).toEqual(order);
  });

  test("contains every prompt once, and none is overtaken by more tokens than its limit", () => {
    const lists = fc.array(
      fc.record({ left: fc.integer({ min: 1, max: 500 }), patience: fc.nat(100) }),
    );
    fc.assert(
      fc.property(lists, (list) => {
        const all = list.map(({ left }, admitted) => prompt(admitted, left));
        const ordered = orderPrompts(
          all,
          ({ admissionOrder }) => list[admissionOrder]?.patience ?? 0,
        );
        expect(ordered.toSorted((a, b) => a.admissionOrder - b.admissionOrder)).toEqual(all);
        for (const [place, { admissionOrder, uncomputedTokens }] of ordered.entries()) {
          const passedBy = ordered
            .slice(0, place)
            .filter((other) => other.admissionOrder > admissionOrder);
          const tokens = passedBy.reduce((sum, other) => sum + other.uncomputedTokens, 0);
          expect(tokens).toBeLessThanOrEqual(list[admissionOrder]?.patience ?? 0);
          for (const other of passedBy) {
            expect(other.uncomputedTokens).toBeLessThan(uncomputedTokens);
          }
        }
      }),
    );
  });
});

describe("prompts evaluated over several steps", () => {
  test("any number of short prompts delays a long prompt by at most a share of its length", () => {
    const queue = new PromptQueue();
    const long = { admissionOrder: 0, left: 8000 };
    let delayed = 0;
    for (let step = 1; long.left > 0; step++) {
      const [first] = queue.order([prompt(0, long.left), prompt(step, 50)]);
      if (first?.admissionOrder === 0) long.left -= 50;
      else {
        delayed += 50;
        queue.delay(prompt(0, long.left), 50);
      }
    }
    expect(delayed).toBe(8000 * OVERTAKEN_SHARE);
  });

  test("ended prompts are removed", () => {
    const queue = new PromptQueue();
    queue.order([prompt(0, 800)]);
    queue.delay(prompt(0, 800), 100);
    expect(queue.delayAllowanceOf(prompt(0, 700))).toBe(0);
    queue.order([prompt(1, 80)]);
    expect(queue.delayAllowanceOf(prompt(0, 800))).toBe(100);
  });
});
