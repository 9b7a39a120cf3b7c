import { expect, it } from "vitest";
import { orderPromptScoresFirst } from "../../../../src/api/openai/completions/stream.js";
import { GgufdError } from "../../../../src/core/errors.js";
import type { ChoiceEvent, GenerationEvent } from "../../../../src/core/generation-event.js";

const usage = { promptTokens: 3, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };
const scores = (letters: string): GenerationEvent => ({
  type: "prompt-scores",
  scores: [...letters].map((letter) => ({ id: 1, bytes: [...Buffer.from(letter)], top: [] })),
  usage,
});
const text = (value: string): GenerationEvent => ({ type: "text-delta", text: value, usage });

/** Formats each event as its choice with the text, or with the prompt in brackets. */
async function ordered(events: readonly ChoiceEvent[], perPrompt: number) {
  const shown: string[] = [];
  async function* source() {
    yield* events;
  }
  for await (const { choice, event } of orderPromptScoresFirst(source(), perPrompt)) {
    if (event.type === "text-delta") shown.push(`${choice} ${event.text}`);
    else if (event.type === "prompt-scores") {
      const letters = event.scores.map(({ bytes }) => String.fromCharCode(...bytes));
      shown.push(`${choice} [${letters.join("")}]`);
    } else shown.push(`${choice} ${event.type}`);
  }
  return shown;
}

it("orderPromptScoresFirst merges the scores of one prompt", async () => {
  const events = [scores("ab"), scores("c"), text("x")].map((event) => ({ choice: 0, event }));
  expect(await ordered(events, 1)).toEqual(["0 [abc]", "0 x"]);
});

it("orderPromptScoresFirst emits a prompt before each of its completions, delaying them if necessary", async () => {
  const events: ChoiceEvent[] = [
    { choice: 1, event: text("early") },
    { choice: 2, event: scores("abc") },
    { choice: 0, event: scores("d") },
    { choice: 3, event: text("other") },
    { choice: 1, event: text("bird") },
    { choice: 0, event: scores("ef") },
    { choice: 1, event: text("late") },
    { choice: 0, event: text("x") },
  ];
  expect(await ordered(events, 2)).toEqual([
    "2 [abc]",
    "3 [abc]",
    "3 other",
    "0 [def]",
    "1 [def]",
    "1 early",
    "1 bird",
    "1 late",
    "0 x",
  ]);
});

it("orderPromptScoresFirst does not delay the failure of a request", async () => {
  const error = new GgufdError("model_unavailable", "it died");
  const events: ChoiceEvent[] = [
    { choice: 1, event: text("early") },
    { choice: 0, event: { type: "failed", error } },
  ];
  expect(await ordered(events, 2)).toEqual(["0 failed"]);
});
