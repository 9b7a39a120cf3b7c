import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  computeStepTargets,
  type PlannedWork,
  planStep,
  type StepCandidate,
} from "../../../src/engine/step/step-plan.js";

/** A prompt, or a decoding sequence if no prompt tokens are left. */
const candidate = (
  sequenceId: number,
  promptTokens: number,
  admitted = sequenceId,
  tokensToPause = Number.POSITIVE_INFINITY,
): StepCandidate => ({
  sequenceId,
  uncomputedTokens: promptTokens || 1,
  awaitedToken: promptTokens > 0 ? "first" : "next",
  tokensToPause,
  admissionOrder: admitted,
});
const decode = (sequenceId: number): PlannedWork => ({ sequenceId, tokens: 1 });
const prefill = (sequenceId: number, tokens: number): PlannedWork => ({ sequenceId, tokens });
const tokensOf = (work: PlannedWork) => work.tokens;
const areOfPrompts = (candidates: readonly StepCandidate[]) => (work: PlannedWork) =>
  candidates.some(
    ({ sequenceId, awaitedToken }) => sequenceId === work.sequenceId && awaitedToken === "first",
  );
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
    { rule: "contains no work without candidates", candidates: [], budget: 8, work: [] },
    {
      rule: "contains one token for each decoding sequence, in ascending id",
      candidates: [candidate(2, 0), candidate(0, 0), candidate(1, 0)],
      budget: 8,
      work: [decode(0), decode(1), decode(2)],
    },
    {
      rule: "gives a prompt the rest of the budget during decoding",
      candidates: [candidate(0, 100), candidate(1, 0)],
      budget: 7,
      work: [prefill(0, 7), decode(1)],
    },
    {
      rule: "gives a prompt no more tokens than it has",
      candidates: [candidate(0, 3)],
      budget: 8,
      work: [prefill(0, 3)],
    },
    {
      rule: "evaluates a prompt up to its checkpoint, and gives the remaining budget to the next prompt",
      candidates: [candidate(0, 30, 0, 5), candidate(1, 30)],
      budget: 12,
      work: [prefill(0, 5), prefill(1, 7)],
    },
    {
      rule: "evaluates prompts in scheduling order",
      candidates: [candidate(1, 4), candidate(0, 9), candidate(2, 9)],
      budget: 8,
      work: [prefill(0, 4), prefill(1, 4)],
    },
    {
      rule: "evaluates a whole prompt that slightly exceeds the budget",
      candidates: [candidate(0, 10), candidate(1, 5)],
      budget: 8,
      work: [prefill(0, 10)],
    },
    {
      rule: "contains no small slice of a second prompt",
      candidates: [candidate(0, 6), candidate(1, 20)],
      budget: 8,
      work: [prefill(0, 6)],
    },
    {
      rule: "contains no prompt tokens without a budget",
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

  test("gives prompts at least half of the target if needed", () => {
    fc.assert(
      fc.property(steps, ({ candidates, allowance }) => {
        const waiting = candidates.filter(({ awaitedToken }) => awaitedToken === "first");
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

  test("advances every decoding sequence and splits only the prompts of other sequences", () => {
    fc.assert(
      fc.property(steps, ({ candidates, allowance }) => {
        const work = new Map(
          planStep(candidates, allowance).map((item) => [item.sequenceId, item]),
        );
        for (const { sequenceId, uncomputedTokens, awaitedToken } of candidates) {
          const item = work.get(sequenceId);
          if (awaitedToken === "next") expect(item).toEqual(decode(sequenceId));
          else if (item !== undefined) {
            expect(tokensOf(item)).toBeGreaterThan(0);
            expect(tokensOf(item)).toBeLessThanOrEqual(uncomputedTokens);
          }
        }
      }),
    );
  });

  test("stays within the rows of logits per batch and still completes all work", () => {
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
        const isAnyLeft = candidates.some(({ awaitedToken }) => awaitedToken === "first");
        expect(work.some(areOfPrompts(candidates))).toBe(isAnyLeft);
      }),
    );
  });

  test("gives a prompt tokens only if all preceding prompts are complete", () => {
    fc.assert(
      fc.property(steps, ({ candidates, allowance }) => {
        const work = new Map(
          planStep(candidates, allowance).map((item) => [item.sequenceId, item]),
        );
        const left = candidates
          .filter(({ awaitedToken }) => awaitedToken === "first")
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

describe("the length of a step, as a multiple of the target inter-token latency,", () => {
  test.each([
    ["is 1 if no generation waits for its first token", 3, 0, 0, 1],
    ["is 1 for a single prompt", 1, 1, 0, 1],
    ["grows with the share of waiting prompts", 8, 3, 0, 1.75],
    ["is 4 if more generations wait than decode", 8, 9, 0, 4],
    ["is at most 4 for waiting prompts", 1, 30, 0, 4],
    ["is 1 if no generation decodes", 0, 4, 0, 1],
    ["is 1 if decoding takes a sixteenth of the target", 8, 1, 1 / 16, 1],
    ["is sixteen times the decode time if that exceeds the target", 8, 1, 1 / 8, 2],
    ["is at most 7, however long decoding takes", 8, 1, 0.5, 7],
    ["is the longer of both lengths for a burst during slow decoding", 8, 3, 1 / 16, 1.75],
    ["is 1 if decoding is slow and no generation waits", 8, 0, 0.9, 1],
  ])("%s", (_, decoding, prefilling, decodeTargets, targets) => {
    expect(computeStepTargets({ decoding, prefilling, decodeTargets })).toBe(targets);
  });
});
