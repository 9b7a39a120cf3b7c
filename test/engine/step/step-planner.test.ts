import { expect, test } from "vitest";
import { StepPlanner } from "../../../src/engine/step/step-planner.js";
import { NO_STEP } from "../../../src/engine/step/step-report.js";

const TARGET_MS = 100;

/** A prompt, or a decoding sequence if no prompt tokens are left. */
const candidate = (sequenceId: number, promptTokens: number, admitted = sequenceId) => ({
  sequenceId,
  uncomputedTokens: promptTokens || 1,
  awaitedToken: promptTokens > 0 ? ("first" as const) : ("next" as const),
  tokensToPause: Number.POSITIVE_INFINITY,
  admissionOrder: admitted,
});

/** Planner for a machine with decode steps of 6 ms and, by default, 1 ms per prompt token. */
function planner({ msPerPromptToken = 1, passTokens = 512 } = {}) {
  const created = new StepPlanner({
    itlTargetMs: TARGET_MS,
    batchSize: 512,
    passTokens,
    maxOutputs: 64,
    mixing: "mixed",
  });
  created.learn({ ...NO_STEP, prefillTokens: 100, totalMs: 100 * msPerPromptToken });
  created.learn({ ...NO_STEP, decodeTokens: 1, totalMs: 6 });
  return created;
}

const prefilled = (planned: ReturnType<StepPlanner["plan"]>) =>
  planned.flatMap(({ sequenceId, tokens }) => (tokens > 1 ? [[sequenceId, tokens]] : []));

test("without decoding, whole prompts are evaluated, as many as fit the target", () => {
  const prompts = [candidate(0, 40), candidate(1, 40), candidate(2, 40), candidate(3, 40)];
  expect(prefilled(planner().plan(prompts))).toEqual([
    [0, 40],
    [1, 40],
    [2, 40],
  ]);
});

test("without decoding, a step takes one pass of a long prompt, or the tokens of one target", () => {
  const long = [candidate(0, 900), candidate(1, 300)];
  expect(prefilled(planner({ passTokens: 128 }).plan(long))).toEqual([[0, 128]]);
  expect(prefilled(planner({ passTokens: 64 }).plan(long))).toEqual([[0, 100]]);
});

test("the prompt that was admitted first is split only if it exceeds the batch", () => {
  expect(prefilled(planner().plan([candidate(0, 40, 2), candidate(1, 300, 1)]))).toEqual([
    [1, 300],
  ]);
  expect(prefilled(planner().plan([candidate(0, 900)]))).toEqual([[0, 512]]);
});

test("short prompts overtake a long one, which is delayed by at most an eighth of its length", () => {
  const trained = planner();
  const long = candidate(0, 480);
  expect(prefilled(trained.plan([long, candidate(1, 40)]))).toEqual([
    [0, 60],
    [1, 40],
  ]);
  // The prompt may be overtaken by 20 more tokens.
  expect(prefilled(trained.plan([candidate(0, 420), candidate(2, 30)]))).toEqual([[0, 420]]);
});

test("a long slice is aborted for a prompt that may overtake it, and the abort counts towards the limit", () => {
  const trained = planner();
  const slice = { prompt: candidate(0, 4000), tokens: 400 };
  expect(trained.isWorthPreempting([slice], 100)).toBe(true);
  expect(trained.isWorthPreempting([slice], 101)).toBe(false);
  trained.notePreempted([slice]);
  expect(trained.isWorthPreempting([slice], 1)).toBe(false);
});

test.each([
  ["ends soon", { prompt: candidate(0, 4000), tokens: 100 }, 50],
  ["belongs to a shorter prompt", { prompt: candidate(0, 400), tokens: 101 }, 400],
])("a slice that %s is not aborted", (_, slice, promptTokens) => {
  expect(planner().isWorthPreempting([slice], promptTokens)).toBe(false);
});

test("a step without a prompt is not aborted", () => {
  expect(planner().isWorthPreempting([], 1)).toBe(false);
});

test("during decoding, a prompt gets the rest of the target", () => {
  expect(prefilled(planner().plan([candidate(0, 0), candidate(1, 300)]))).toEqual([[1, 94]]);
});

test("during slow decoding, a step takes sixteen decode times in whole tiles, but at most seven targets", () => {
  const trained = planner();
  trained.learn({ ...NO_STEP, decodeTokens: 4, totalMs: 15 });
  trained.learn({ ...NO_STEP, decodeTokens: 16, totalMs: 80 });
  const besides = (decoding: number) => [
    ...Array.from({ length: decoding }, (_, id) => candidate(id, 0)),
    candidate(40, 900),
  ];
  // The tile sizes nearest to 225 and to 620, which exceeds the batch.
  expect(prefilled(trained.plan(besides(4)))).toEqual([[40, 257]]);
  expect(prefilled(trained.plan(besides(16)))).toEqual([[40, 496]]);
});

test("short prompts that arrive together are evaluated before decoding continues", () => {
  const trained = planner();
  const together = [candidate(0, 0), candidate(1, 100), candidate(2, 50), candidate(3, 60)];
  expect(trained.plan(together)).toEqual([{ sequenceId: 1, tokens: 100 }]);
  trained.learn({ ...NO_STEP, prefillTokens: 100, totalMs: 100 });
  const left = [candidate(0, 0), candidate(1, 0), candidate(2, 50), candidate(3, 60)];
  expect(trained.plan([...left, candidate(4, 9)]).map(({ sequenceId }) => sequenceId)).toEqual([
    2, 3,
  ]);
  trained.learn({ ...NO_STEP, prefillTokens: 110, totalMs: 110 });
  const later = [0, 1, 2, 3].map((id) => candidate(id, 0));
  expect(trained.plan([...later, candidate(4, 9)])).toHaveLength(5);
});

test("streams get a token at intervals while a burst of prompts is evaluated", () => {
  const trained = planner();
  const left = [1, 2, 3, 4, 5].map((id) => candidate(id, 100));
  const kinds: string[] = [];
  while (left.length > 0) {
    const planned = trained.plan([candidate(0, 0), ...left]);
    const prompts = prefilled(planned);
    kinds.push(prompts.length > 0 ? `prompts ${prompts.map(([id]) => id)}` : "tokens");
    if (prompts.length === 0) expect(planned).toEqual([{ sequenceId: 0, tokens: 1 }]);
    left.splice(0, prompts.length);
    const prefillTokens = 100 * prompts.length;
    const decodeTokens = planned.length - prompts.length;
    trained.learn({ ...NO_STEP, decodeTokens, prefillTokens, totalMs: prefillTokens || 6 });
  }
  expect(kinds).toEqual([
    "prompts 1",
    "prompts 2",
    "tokens",
    "prompts 3",
    "prompts 4",
    "tokens",
    "prompts 5",
  ]);
});

test("an abort counts as at most one pass, which is the most work that it discards", () => {
  const passes = planner({ passTokens: 64 });
  const slice = { prompt: candidate(0, 4000), tokens: 400 };
  expect(passes.isWorthPreempting([slice], 436)).toBe(true);
  expect(passes.isWorthPreempting([slice], 437)).toBe(false);
  passes.notePreempted([slice]);
  expect(passes.isWorthPreempting([slice], 372)).toBe(true);
  expect(passes.isWorthPreempting([slice], 373)).toBe(false);
});

test("a step without work does not change the measured decode cost", () => {
  const trained = planner();
  for (let step = 0; step < 100; step++) trained.learn({ ...NO_STEP, totalMs: 0.01 });
  expect(prefilled(trained.plan([candidate(0, 0), candidate(1, 300)]))).toEqual([[1, 94]]);
});

test("saving and moving states does not count as decoding or evaluating prompts", () => {
  const trained = planner();
  trained.learn({ ...NO_STEP, decodeTokens: 1, stateMs: 400, totalMs: 406 });
  trained.learn({ ...NO_STEP, prefillTokens: 100, stateMs: 400, totalMs: 500 });
  expect(prefilled(trained.plan([candidate(0, 0), candidate(1, 300)]))).toEqual([[1, 94]]);
});

test("a step that re-evaluates dropped tokens does not change the measured decode cost", () => {
  const trained = planner();
  trained.learn({ ...NO_STEP, decodeTokens: 1, redoneTokens: 16, totalMs: 90 });
  expect(prefilled(trained.plan([candidate(0, 0), candidate(1, 300)]))).toEqual([[1, 94]]);
});

test("the batch reserves space for the tokens that decoding re-evaluates", () => {
  const untrained = new StepPlanner({
    itlTargetMs: TARGET_MS,
    batchSize: 64,
    passTokens: 64,
    maxOutputs: 64,
    mixing: "mixed",
  });
  const decoding = { ...candidate(0, 0), uncomputedTokens: 9 };
  expect(prefilled(untrained.plan([decoding, candidate(1, 300)]))).toEqual([
    [0, 9],
    [1, 55],
  ]);
});

test("a step with drafts does not change the measured decode cost", () => {
  const trained = planner();
  trained.learn({ ...NO_STEP, decodeTokens: 1, draftTokens: 16, totalMs: 90 });
  expect(prefilled(trained.plan([candidate(0, 0), candidate(1, 300)]))).toEqual([[1, 94]]);
});

test("during a burst, a step takes up to four targets and still includes decoding", () => {
  const demand = [candidate(0, 0), candidate(1, 900), candidate(2, 900)];
  expect(planner().plan(demand)).toEqual([
    { sequenceId: 0, tokens: 1 },
    { sequenceId: 1, tokens: 385 },
  ]);
});

test("on a slow machine, two streams continue while fourteen long prompts are evaluated", () => {
  const msPerPromptToken = 10;
  const slow = new StepPlanner({
    itlTargetMs: 150,
    batchSize: 512,
    passTokens: 512,
    maxOutputs: 64,
    mixing: "mixed",
  });
  const report = ({ decodeTokens = 0, prefillTokens = 0 }) => ({
    ...NO_STEP,
    decodeTokens,
    prefillTokens,
    totalMs: prefillTokens * msPerPromptToken + (decodeTokens > 0 ? 50 : 0),
  });
  slow.learn(report({ prefillTokens: 100 }));
  slow.learn(report({ decodeTokens: 2 }));
  const left = new Map(Array.from({ length: 14 }, (_, index) => [index + 2, 2000]));
  const stepsMs: number[] = [];
  while ([...left.values()].some((tokens) => tokens > 0)) {
    const work = slow.plan([
      candidate(0, 0),
      candidate(1, 0),
      ...[...left].map(([id, tokens]) => candidate(id, tokens)),
    ]);
    for (const [id, tokens] of prefilled(work))
      left.set(id ?? 0, (left.get(id ?? 0) ?? 0) - (tokens ?? 0));
    const decodeTokens = work.filter(({ tokens }) => tokens === 1).length;
    const prefillTokens = prefilled(work).reduce((sum, [, tokens = 0]) => sum + tokens, 0);
    expect(decodeTokens).toBeGreaterThanOrEqual(2);
    const step = report({ decodeTokens, prefillTokens });
    slow.learn(step);
    stepsMs.push(step.totalMs);
  }
  expect(Math.max(...stepsMs)).toBeLessThanOrEqual(4 * 1.25 * 150);
});

test("if evaluated separately, prompts and decoding alternate, and prompts fill whole tiles", () => {
  const apart = new StepPlanner({
    itlTargetMs: 100,
    batchSize: 512,
    passTokens: 512,
    maxOutputs: 64,
    mixing: "separate",
  });
  const candidates = [candidate(0, 0), candidate(1, 2000), candidate(2, 0)];
  apart.learn({ ...NO_STEP, decodeTokens: 2, totalMs: 6 });
  apart.learn({ ...NO_STEP, prefillTokens: 100, totalMs: 150 });
  const turns = [1, 2, 3, 4].map(() => apart.plan(candidates));
  const prompt = [{ sequenceId: 1, tokens: 64 }];
  const decoding = [0, 2].map((sequenceId) => ({ sequenceId, tokens: 1 }));
  expect(turns).toEqual([prompt, decoding, prompt, decoding]);
});

test("a step that scores prompts does not change the measured costs", () => {
  const trained = planner();
  for (let step = 0; step < 100; step++) {
    trained.learn({ ...NO_STEP, prefillTokens: 10, scoredTokens: 10, totalMs: 400 });
  }
  expect(prefilled(trained.plan([candidate(0, 0), candidate(1, 300)]))).toEqual([[1, 94]]);
});

test("prompts that need logits for all tokens share the rows of one batch", () => {
  const scored = (id: number, left: number) => ({
    ...candidate(id, left),
    promptLogits: "all" as const,
  });
  expect(prefilled(planner().plan([scored(0, 300), scored(1, 300)]))).toEqual([[0, 64]]);
  expect(prefilled(planner().plan([scored(0, 20), scored(1, 300)]))).toEqual([
    [0, 20],
    [1, 44],
  ]);
  // Decoding is omitted, and the other prompt has one row.
  const others = [candidate(1, 0), candidate(2, 0), candidate(3, 10)];
  expect(prefilled(planner().plan([scored(0, 300), ...others]))).toEqual([
    [0, 63],
    [3, 10],
  ]);
});

test("a prompt gets the rest of the target if others decode in another pool", () => {
  const alone = prefilled(planner().plan([candidate(1, 300)]));
  expect(alone).toEqual([[1, 300]]);
  expect(prefilled(planner().plan([candidate(1, 300)], 1))).toEqual([[1, 94]]);
});

test("all sequences decode if others decode in another pool and this pool has no prompt", () => {
  expect(planner().plan([candidate(0, 0), candidate(2, 0)], 3)).toEqual([
    { sequenceId: 0, tokens: 1 },
    { sequenceId: 2, tokens: 1 },
  ]);
});
