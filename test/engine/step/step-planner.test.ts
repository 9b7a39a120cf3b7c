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

/** On a machine on which a decode step takes 20 ms, and a prompt token 1 ms by default. */
function planner({ clock = { now: 0 }, msPerPromptToken = 1 } = {}) {
  const created = new StepPlanner({ itlTargetMs: TARGET_MS, batchSize: 512, now: () => clock.now });
  created.learn({ ...NO_STEP, prefillTokens: 100, totalMs: 100 * msPerPromptToken });
  created.learn({ ...NO_STEP, decodeTokens: 1, totalMs: 20 });
  return created;
}

const prefilled = (planned: ReturnType<StepPlanner["plan"]>) =>
  planned.flatMap((work) => (work.kind === "prefill" ? [[work.sequenceId, work.tokens]] : []));

test("prompts alone are evaluated whole, as many as fit the target", () => {
  const prompts = [candidate(0, 40), candidate(1, 40), candidate(2, 40), candidate(3, 40)];
  expect(prefilled(planner().plan(prompts))).toEqual([
    [0, 40],
    [1, 40],
    [2, 40],
  ]);
});

test("the prompt that was admitted first is split only if it exceeds the batch", () => {
  expect(prefilled(planner().plan([candidate(0, 40, 2), candidate(1, 300, 1)]))).toEqual([
    [1, 300],
  ]);
  expect(prefilled(planner().plan([candidate(0, 900)]))).toEqual([[0, 512]]);
});

test("beside decoding, a prompt gets what the target leaves", () => {
  expect(prefilled(planner().plan([candidate(0, 0), candidate(1, 300)]))).toEqual([[1, 80]]);
});

test("a step without work does not change the learnt decode cost", () => {
  const trained = planner();
  for (let step = 0; step < 100; step++) trained.learn({ ...NO_STEP, totalMs: 0.01 });
  expect(prefilled(trained.plan([candidate(0, 0), candidate(1, 300)]))).toEqual([[1, 80]]);
});

test("saving and moving states does not count as decoding or evaluating prompts", () => {
  const trained = planner();
  trained.learn({ ...NO_STEP, decodeTokens: 1, stateMs: 400, totalMs: 420 });
  trained.learn({ ...NO_STEP, prefillTokens: 100, stateMs: 400, totalMs: 500 });
  expect(prefilled(trained.plan([candidate(0, 0), candidate(1, 300)]))).toEqual([[1, 80]]);
});

test("a step with drafts does not change the learnt decode cost", () => {
  const trained = planner();
  trained.learn({ ...NO_STEP, decodeTokens: 1, draftTokens: 16, totalMs: 90 });
  expect(prefilled(trained.plan([candidate(0, 0), candidate(1, 300)]))).toEqual([[1, 80]]);
});

test("prefill priority in a burst lasts for the maximum pause, then decoding continues for a step", () => {
  const clock = { now: 1000 };
  const burstPlanner = planner({ clock });
  const demand = [candidate(0, 0), candidate(1, 50), candidate(2, 50)];
  const decodes = () => burstPlanner.plan(demand).some(({ kind }) => kind === "decode");
  const hasDecoded: boolean[] = [];
  for (let step = 0; step < 8; step++) {
    hasDecoded.push(decodes());
    clock.now += 10 * TARGET_MS;
  }
  expect(hasDecoded).toEqual([false, false, false, false, false, true, false, false]);
});

test("prefill priority in a burst ends when nothing decodes any more", () => {
  const burstPlanner = planner();
  burstPlanner.plan([candidate(0, 0), candidate(1, 50), candidate(2, 50)]);
  burstPlanner.plan([candidate(1, 50), candidate(2, 50)]);
  const demand = [candidate(0, 0), candidate(1, 0), candidate(2, 50)];
  expect(burstPlanner.plan(demand).map(({ kind }) => kind)).toEqual([
    "decode",
    "decode",
    "prefill",
  ]);
});

test("prefill priority in a burst does not exceed the maximum pause on a slow machine", () => {
  const demand = [candidate(0, 0), candidate(1, 400), candidate(2, 400)];
  expect(prefilled(planner({ msPerPromptToken: 50 }).plan(demand))).toEqual([[1, 100]]);
});
