import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type PlannedWork,
  planStep,
  type StepCandidate,
  stepTargets,
} from "../../../src/engine/step/step-plan.js";

/** A prompt, or a sequence that decodes where nothing of one is left. */
const candidate = (
  sequenceId: number,
  promptTokens: number,
  admitted = sequenceId,
  tokensToPause = Number.POSITIVE_INFINITY,
): StepCandidate => ({
  sequenceId,
  uncomputedTokens: promptTokens || 1,
  awaits: promptTokens > 0 ? "first" : "next",
  tokensToPause,
  admitted,
});
const decode = (sequenceId: number): PlannedWork => ({ sequenceId, tokens: 1 });
const prefill = (sequenceId: number, tokens: number): PlannedWork => ({ sequenceId, tokens });
const tokensOf = (work: PlannedWork) => work.tokens;
const areOfPrompts = (candidates: readonly StepCandidate[]) => (work: PlannedWork) =>
  candidates.some(({ sequenceId, awaits }) => sequenceId === work.sequenceId && awaits === "first");
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

/** Candidates in any order of ids and admission, and a budget. */
const steps = fc
  .uniqueArray(fc.record({ sequenceId: fc.nat(31), left: fc.oneof(fc.constant(0), fc.nat(40)) }), {
    selector: ({ sequenceId }) => sequenceId,
  })
  .chain((slots) =>
    fc.record({
      candidates: fc
        .shuffledSubarray(
          slots.map((_, index) => index),
          { minLength: slots.length },
        )
        .map((order): StepCandidate[] =>
          slots.map(({ sequenceId, left }, index) => candidate(sequenceId, left, order[index])),
        ),
      allowance: fc.record({
        targetTokens: fc.nat(64),
        maxTokens: fc.nat(80),
        maxOutputs: fc.constant(slots.length),
      }),
    }),
  );

describe("planStep", () => {
  test.each<{ rule: string; candidates: StepCandidate[]; budget: number; work: PlannedWork[] }>([
    { rule: "nothing without candidates", candidates: [], budget: 8, work: [] },
    {
      rule: "one token for each decoding sequence, in ascending id",
      candidates: [candidate(2, 0), candidate(0, 0), candidate(1, 0)],
      budget: 8,
      work: [decode(0), decode(1), decode(2)],
    },
    {
      rule: "the budget for a prompt, beside decoding",
      candidates: [candidate(0, 100), candidate(1, 0)],
      budget: 7,
      work: [prefill(0, 7), decode(1)],
    },
    {
      rule: "no more than the prompt has",
      candidates: [candidate(0, 3)],
      budget: 8,
      work: [prefill(0, 3)],
    },
    {
      rule: "no more than up to the checkpoint, and the remaining budget for the next prompt",
      candidates: [candidate(0, 30, 0, 5), candidate(1, 30)],
      budget: 12,
      work: [prefill(0, 5), prefill(1, 7)],
    },
    {
      rule: "the prompt whose turn it is first, then the next",
      candidates: [candidate(1, 4), candidate(0, 9), candidate(2, 9)],
      budget: 8,
      work: [prefill(0, 4), prefill(1, 4)],
    },
    {
      rule: "a whole prompt that needs slightly more than the budget",
      candidates: [candidate(0, 10), candidate(1, 5)],
      budget: 8,
      work: [prefill(0, 10)],
    },
    {
      rule: "no small slice of a second prompt",
      candidates: [candidate(0, 6), candidate(1, 20)],
      budget: 8,
      work: [prefill(0, 6)],
    },
    {
      rule: "no prompt without a budget",
      candidates: [candidate(0, 0), candidate(1, 0), candidate(2, 4)],
      budget: 0,
      work: [decode(0), decode(1)],
    },
  ])("$rule", ({ candidates, budget, work }) => {
    expect(planStep(candidates, { targetTokens: budget, maxTokens: 100, maxOutputs: 100 })).toEqual(
      work,
    );
  });

  test("stays within the batch, and within the target except to complete a prompt", () => {
    fc.assert(
      fc.property(steps, ({ candidates, allowance }) => {
        const { targetTokens, maxTokens } = allowance;
        const prompts = planStep(candidates, allowance).filter(areOfPrompts(candidates));
        expect(sum(prompts.map(tokensOf))).toBeLessThanOrEqual(
          Math.min(maxTokens, targetTokens * 1.25),
        );
      }),
    );
  });

  test("gives prompts at least half of the target, if they need it", () => {
    fc.assert(
      fc.property(steps, ({ candidates, allowance }) => {
        const waiting = candidates.filter(({ awaits }) => awaits === "first");
        const needed = sum(waiting.map(({ uncomputedTokens }) => uncomputedTokens));
        const prompts = planStep(candidates, allowance).filter(areOfPrompts(candidates));
        const half = Math.min(allowance.targetTokens, allowance.maxTokens) / 2;
        expect(sum(prompts.map(tokensOf))).toBeGreaterThanOrEqual(Math.min(needed, half));
      }),
    );
  });

  test("gives each sequence at most one share, in ascending id", () => {
    fc.assert(
      fc.property(steps, ({ candidates, allowance }) => {
        const ids = planStep(candidates, allowance).map(({ sequenceId }) => sequenceId);
        expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
      }),
    );
  });

  test("advances every decoding sequence, and slices prompts of the others only", () => {
    fc.assert(
      fc.property(steps, ({ candidates, allowance }) => {
        const work = new Map(
          planStep(candidates, allowance).map((item) => [item.sequenceId, item]),
        );
        for (const { sequenceId, uncomputedTokens, awaits } of candidates) {
          const item = work.get(sequenceId);
          if (awaits === "next") expect(item).toEqual(decode(sequenceId));
          else if (item !== undefined) {
            expect(tokensOf(item)).toBeGreaterThan(0);
            expect(tokensOf(item)).toBeLessThanOrEqual(uncomputedTokens);
          }
        }
      }),
    );
  });

  test("requests no more rows of logits than there may be, and gets on with all that is left", () => {
    fc.assert(
      fc.property(steps, fc.nat(20), fc.func(fc.boolean()), (step, moreRows, isScored) => {
        const candidates = step.candidates.map((one) => ({
          ...one,
          promptLogits: isScored(one.sequenceId) ? ("all" as const) : undefined,
        }));
        const maxOutputs = candidates.length + moreRows;
        const byId = new Map(candidates.map((one) => [one.sequenceId, one]));
        const work = planStep(candidates, { targetTokens: 64, maxTokens: 100, maxOutputs });
        const rows = work.map((item) => {
          const { promptLogits, uncomputedTokens } = byId.get(item.sequenceId) ?? {};
          if (promptLogits === "all") return tokensOf(item);
          return tokensOf(item) === uncomputedTokens ? 1 : 0;
        });
        expect(sum(rows)).toBeLessThanOrEqual(maxOutputs);
        const isAnyLeft = candidates.some(({ awaits }) => awaits === "first");
        expect(work.some(areOfPrompts(candidates))).toBe(isAnyLeft);
      }),
    );
  });

  test("gives a prompt tokens only when all before it are complete", () => {
    fc.assert(
      fc.property(steps, ({ candidates, allowance }) => {
        const work = new Map(
          planStep(candidates, allowance).map((item) => [item.sequenceId, item]),
        );
        const left = candidates
          .filter(({ awaits }) => awaits === "first")
          .map(({ sequenceId, uncomputedTokens }) => {
            const item = work.get(sequenceId);
            return { plannedTokens: item === undefined ? 0 : tokensOf(item), uncomputedTokens };
          });
        const unfinished = left.findIndex(
          ({ plannedTokens, uncomputedTokens }) => plannedTokens < uncomputedTokens,
        );
        const after = unfinished < 0 ? [] : left.slice(unfinished + 1);
        expect(after.every(({ plannedTokens }) => plannedTokens === 0)).toBe(true);
      }),
    );
  });
});

describe("the length of a step, in targets of inter-token latency,", () => {
  test.each([
    ["is one where nothing waits for a first token", 3, 0, 0, 1],
    ["is one where one prompt comes alone", 1, 1, 0, 1],
    ["grows with the share of those that wait", 8, 3, 0, 1.75],
    ["is four where more wait than decode", 8, 9, 0, 4],
    ["is no more than four", 1, 30, 0, 4],
    ["is one where nothing decodes", 0, 4, 0, 1],
    ["is one where decoding takes a sixteenth of it", 8, 1, 1 / 16, 1],
    ["leaves a sixteenth to decoding that takes longer", 8, 1, 1 / 8, 2],
    ["is no more than seven however long decoding takes", 8, 1, 0.5, 7],
    ["is the longer one of both where there is a burst too", 8, 3, 1 / 16, 1.75],
    ["is one where decoding is slow and nothing waits", 8, 0, 0.9, 1],
  ])("%s", (_, decoding, prefilling, decodeTargets, targets) => {
    expect(stepTargets({ decoding, prefilling, decodeTargets })).toBe(targets);
  });
});
