import { describe, expect, test } from "vitest";
import { StateDrafter } from "../../../src/engine/drafts/state-drafter.js";
import type { StateDrafts } from "../../../src/engine/native/token-context.js";
import type { ContextCall } from "../simulated/simulated-context.js";
import {
  mixedModel,
  SimulatedEngine,
  type SimulatedEngineOptions,
} from "../simulated/simulated-engine.js";

const BATCH_TOKENS = 64;

/** Never ends, and generates nothing that prompt lookup could propose. */
const model = (held: readonly number[]) => mixedModel(held) % 26;

const continued = (tokens: readonly number[], length: number) => {
  const text = [...tokens];
  for (let drafted = 0; drafted < length; drafted++) text.push(model(text));
  return text.slice(tokens.length);
};

/** Proposes the model's tokens, alternating with wrong tokens, too few tokens and none. */
class UnevenDrafts implements StateDrafts {
  readonly maxLength: number;
  readonly asked: { readonly texts: number; readonly length: number }[] = [];

  constructor(maxLength: number) {
    this.maxLength = maxLength;
  }

  async propose(...[texts, length]: Parameters<StateDrafts["propose"]>) {
    this.asked.push({ texts: texts.length, length });
    return new Map(
      texts.map(({ sequenceId, tokens }, index) => {
        const drafted = continued(tokens, length);
        const ways = [
          drafted,
          drafted.slice(0, 1),
          [...drafted.slice(0, -1), 25],
          [],
          drafted,
          drafted,
        ];
        return [sequenceId, ways[(this.asked.length + index) % ways.length] ?? []];
      }),
    );
  }
}

function openEngine(drafts: StateDrafts, options: SimulatedEngineOptions = {}) {
  let now = 0;
  return new SimulatedEngine({
    batchSize: BATCH_TOKENS,
    slots: 3,
    speculation: "auto",
    next: model,
    onCall: (call: ContextCall) => {
      const tokens = call.parts.reduce((sum, part) => sum + part.tokens.length, 0);
      if (call.kind === "evaluate") now += 10 + tokens * 0.01;
      return undefined;
    },
    clock: () => now,
    drafter: new StateDrafter({ drafts, contextSize: 10_000, batchSize: BATCH_TOKENS }),
    ...options,
  });
}

const requests = [
  { prompt: "hello", maxTokens: 60 },
  { prompt: "amuchlongerprompt".repeat(9), maxTokens: 50 },
  { prompt: "other", maxTokens: 40, stop: ["qq", "ab"] },
  { prompt: "further", maxTokens: 30 },
];

async function textsOf(engine: SimulatedEngine) {
  const generations = requests.map((request) => engine.start(request));
  await engine.allEnded();
  return generations.map(({ text }) => text);
}

describe.each([
  ["truncate", "supported"],
  ["rewind", "unsupported"],
] as const)(
  "drafts from hidden states, with rejected tokens removed by %s",
  (retraction, partialTruncation) => {
    const states = { retraction, partialTruncation };

    test("never change the text, regardless of their quality", async () => {
      const drafts = new UnevenDrafts(Number.POSITIVE_INFINITY);
      const plain = new SimulatedEngine({ slots: 3, next: model, ...states });
      const engine = openEngine(drafts, states);
      expect(await textsOf(engine)).toEqual(await textsOf(plain));
      expect(engine.failures).toEqual([]);
      expect(drafts.asked.length).toBeGreaterThan(5);
      expect(engine.reports.length).toBeLessThan(plain.reports.length);
    });
  },
);

test("drafts are limited by the proposer's maximum", async () => {
  const drafts = new UnevenDrafts(2);
  await textsOf(openEngine(drafts));
  expect(Math.max(...drafts.asked.map(({ length }) => length))).toBe(2);
});

test("a drafter that fails is not used again and affects no text", async () => {
  let calls = 0;
  const failing: StateDrafts = {
    maxLength: 64,
    async propose() {
      calls++;
      throw new Error("the context of drafts is closed");
    },
  };
  const engine = openEngine(failing);
  expect(await textsOf(engine)).toEqual(
    await textsOf(new SimulatedEngine({ slots: 3, next: model })),
  );
  expect(calls).toBe(1);
  expect(engine.draftModelErrors).toEqual([new Error("the context of drafts is closed")]);
});
