import { expect, test } from "vitest";
import { StepPlanner } from "../../../src/engine/step/step-planner.js";
import { NO_STEP } from "../../../src/engine/step/step-report.js";

const TARGET_MS = 100;

const candidate = (sequenceId: number, promptTokensLeft: number, admitted = sequenceId) => ({
  sequenceId,
  promptTokensLeft,
  tokensToCheckpoint: Number.POSITIVE_INFINITY,
  admitted,
});

/** On a machine that takes 20 ms for a step of decoding, and 1 ms for a prompt's token. */
function planner({ clock = { now: 0 }, msPerPromptToken = 1 } = {}) {
  const made = new StepPlanner({ itlTargetMs: TARGET_MS, batchSize: 512, now: () => clock.now });
  made.learn({ ...NO_STEP, prefillTokens: 100, totalMs: 100 * msPerPromptToken });
  made.learn({ ...NO_STEP, decodeTokens: 1, totalMs: 20 });
  return made;
}

const prefilled = (planned: ReturnType<StepPlanner["plan"]>) =>
  planned.flatMap((work) => (work.kind === "prefill" ? [[work.sequenceId, work.tokens]] : []));

test("prompts alone come whole, and as many as fit the target", () => {
  const prompts = [candidate(0, 40), candidate(1, 40), candidate(2, 40), candidate(3, 40)];
  expect(prefilled(planner().plan(prompts))).toEqual([
    [0, 40],
    [1, 40],
    [2, 40],
  ]);
});

test("the one that was admitted first is not cut, however long, up to the batch", () => {
  expect(prefilled(planner().plan([candidate(0, 40, 2), candidate(1, 300, 1)]))).toEqual([
    [1, 300],
  ]);
  expect(prefilled(planner().plan([candidate(0, 900)]))).toEqual([[0, 512]]);
});

test("beside decoding, a prompt gets what the target leaves", () => {
  expect(prefilled(planner().plan([candidate(0, 0), candidate(1, 300)]))).toEqual([[1, 80]]);
});

test("a step with drafts says nothing about what decoding takes", () => {
  const taught = planner();
  taught.learn({ ...NO_STEP, decodeTokens: 1, draftTokens: 16, totalMs: 90 });
  expect(prefilled(taught.plan([candidate(0, 0), candidate(1, 300)]))).toEqual([[1, 80]]);
});

test("a rush ends some time after its beginning, for one step at least", () => {
  const clock = { now: 1000 };
  const rushing = planner({ clock });
  const demand = [candidate(0, 0), candidate(1, 50), candidate(2, 50)];
  const decodes = () => rushing.plan(demand).some(({ kind }) => kind === "decode");
  const seen: boolean[] = [];
  for (let step = 0; step < 8; step++) {
    seen.push(decodes());
    clock.now += 10 * TARGET_MS;
  }
  expect(seen).toEqual([false, false, false, false, false, true, false, false]);
});

test("a rush is over when nobody is left that decodes", () => {
  const rushing = planner();
  rushing.plan([candidate(0, 0), candidate(1, 50), candidate(2, 50)]);
  rushing.plan([candidate(1, 50), candidate(2, 50)]);
  const demand = [candidate(0, 0), candidate(1, 0), candidate(2, 50)];
  expect(rushing.plan(demand).map(({ kind }) => kind)).toEqual(["decode", "decode", "prefill"]);
});

test("a rush does not go over its time on a slow machine", () => {
  const demand = [candidate(0, 0), candidate(1, 400), candidate(2, 400)];
  expect(prefilled(planner({ msPerPromptToken: 50 }).plan(demand))).toEqual([[1, 100]]);
});
