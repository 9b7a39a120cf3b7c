import { describe, expect, test } from "vitest";
import {
  alphabetModel,
  END,
  mixedModel,
  SimulatedEngine,
  textOf,
  tokensOf,
} from "../simulated/simulated-engine.js";

/** The final event of a generation that is not cancelled and does not fail. */
const finished = (reason: "stop" | "length", usage: Record<string, number>) =>
  expect.objectContaining({ type: "finished", reason, usage });
const usage = (promptTokens: number, cachedTokens: number, completionTokens: number) => ({
  promptTokens,
  cachedTokens,
  completionTokens,
  reasoningTokens: 0,
});
const delta = (text: string, counts: Record<string, number>) => ({
  type: "text-delta",
  text,
  usage: counts,
});

describe("one generation", () => {
  test("emits the text of each token, then the final event", async () => {
    const engine = new SimulatedEngine();
    const generation = engine.start({ prompt: "abc", maxTokens: 3 });
    await engine.allEnded();
    expect(generation.events).toEqual([
      delta("d", usage(3, 0, 1)),
      delta("e", usage(3, 0, 2)),
      delta("f", usage(3, 0, 3)),
      finished("length", usage(3, 0, 3)),
    ]);
  });

  test("ends at the end token, which is counted but has no text", async () => {
    const engine = new SimulatedEngine({
      next: (held) => (held.length < 5 ? alphabetModel(held) : END),
    });
    const generation = engine.start({ prompt: "abc", maxTokens: 9 });
    await engine.allEnded();
    expect(generation.text).toBe("de");
    expect(generation.finalEvent).toEqual(finished("stop", usage(3, 0, 3)));
  });

  test("ends at an end token that is sampled first", async () => {
    const engine = new SimulatedEngine({ next: () => END });
    const generation = engine.start();
    await engine.allEnded();
    expect(generation.events).toEqual([finished("stop", usage(3, 0, 1))]);
  });

  test("ends at a stop string that spans tokens, and emits no part of it", async () => {
    const engine = new SimulatedEngine();
    const generation = engine.start({ prompt: "abc", maxTokens: 9, stop: ["fgh"] });
    await engine.allEnded();
    expect(generation.text).toBe("de");
    expect(generation.finalEvent).toEqual(finished("stop", usage(3, 0, 5)));
  });

  test("emits the text held back for a stop string when the token limit is reached", async () => {
    const engine = new SimulatedEngine();
    const generation = engine.start({ prompt: "abc", maxTokens: 4, stop: ["fgh"] });
    await engine.allEnded();
    expect(generation.text).toBe("defg");
    expect(generation.finalEvent).toEqual(finished("length", usage(3, 0, 4)));
  });

  test("accepts a prompt of one token", async () => {
    const engine = new SimulatedEngine();
    const generation = engine.start({ prompt: "a", maxTokens: 2 });
    await engine.allEnded();
    expect(generation.text).toBe("bc");
  });

  test("emits no event before start returns", async () => {
    const engine = new SimulatedEngine({
      onCall: () => {
        throw new Error("broken at once");
      },
    });
    const generation = engine.start();
    engine.cancel(generation.id);
    expect(generation.events).toEqual([]);
    await engine.allEnded();
    expect(generation.endings).toHaveLength(1);
  });
});

describe("several generations", () => {
  test("do not affect each other's output", async () => {
    const prompts = ["ab", "ba", "abab", "b", "zyx", "ab"];
    const requests = prompts.map((prompt) => ({ prompt, maxTokens: 12 }));
    const together = new SimulatedEngine({ slots: 4, next: mixedModel });
    const generations = requests.map((request) => together.start(request));
    await together.allEnded();
    for (const [index, request] of requests.entries()) {
      const alone = new SimulatedEngine({ slots: 1, next: mixedModel });
      const reference = alone.start(request);
      await alone.allEnded();
      expect(generations[index]?.text).toBe(reference.text);
      expect(generations[index]?.endings).toEqual(["finished"]);
    }
  });

  test("advance in lockstep, with one batch per step in ascending sequence id", async () => {
    const engine = new SimulatedEngine({ slots: 4, batchSize: 64 });
    for (const prompt of ["a", "bcd", "ef", "g"]) engine.start({ prompt, maxTokens: 4 });
    await engine.allEnded();
    const steps = engine.context.batches.map((parts) => parts.map((part) => part.sequenceId));
    expect(steps).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ]);
  });

  test("join the running generations in the step after their start", async () => {
    const engine = new SimulatedEngine({ slots: 3 });
    const first = engine.start({
      maxTokens: 6,
      onEvent: () => {
        if (first.events.length === 2) engine.start({ maxTokens: 4 });
      },
    });
    await engine.allEnded();
    const widths = engine.context.batches.map((parts) => parts.length);
    expect(widths).toEqual([1, 1, 1, 2, 2, 2, 1]);
  });

  test("continue decoding in every step while a long prompt is evaluated in slices", async () => {
    const engine = new SimulatedEngine({ slots: 2, batchSize: 8 });
    const short = engine.start({ prompt: "a", maxTokens: 20 });
    const long = engine.start({ prompt: "z".repeat(30), maxTokens: 1 });
    await engine.allEnded();
    expect(short.text).toHaveLength(20);
    expect(long.text).toBe("a");
    const steps = engine.context.batches.map((parts) => parts.map(({ tokens }) => tokens.length));
    expect(steps.slice(0, 5)).toEqual([
      [1, 7],
      [1, 7],
      [1, 7],
      [1, 7],
      [1, 2],
    ]);
    expect(steps.slice(5)).toEqual(Array.from({ length: 15 }, () => [1]));
  });

  test("that start together are prefilled one after another if prompts take long", async () => {
    let milliseconds = 0;
    const clock = () => (milliseconds += 100);
    const engine = new SimulatedEngine({ batchSize: 64, clock });
    engine.start({ prompt: "known", maxTokens: 1 });
    await engine.allEnded();
    for (const prompt of ["abcdefghijkl", "mnopqrstuvwx"]) engine.start({ prompt, maxTokens: 1 });
    await engine.allEnded();
    expect(engine.reports.map(({ prefillTokens }) => prefillTokens)).toEqual([5, 12, 12]);
  });

  test("wait for a slot in order of arrival", async () => {
    const engine = new SimulatedEngine({ slots: 1 });
    const ended: string[] = [];
    for (const id of ["a", "b", "c", "d"]) {
      engine.start({ id, onEvent: ({ type }) => type === "finished" && ended.push(id) });
    }
    await engine.allEnded();
    expect(ended).toEqual(["a", "b", "c", "d"]);
  });

  test.each(Array.from({ length: 20 }, (_, index) => index))(
    "can start %i microtasks after another generation has ended",
    async (microtasks) => {
      const engine = new SimulatedEngine({ slots: 1 });
      const startNext = async () => {
        for (let passed = 0; passed < microtasks; passed++) await undefined;
        generations.push(engine.start());
      };
      const generations = [
        engine.start({ onEvent: ({ type }) => type === "finished" && void startNext() }),
      ];
      await engine.allEnded();
      expect(generations.map(({ endings }) => endings)).toEqual([["finished"], ["finished"]]);
    },
  );
});

test("a generation moves next to the others that still run, with the same text", async () => {
  const engine = new SimulatedEngine({ slots: 4, next: mixedModel });
  const requests = [38, 4, 5, 40].map((maxTokens) => ({
    prompt: `ab${"c".repeat(maxTokens)}`,
    maxTokens,
  }));
  const generations = requests.map((request) => engine.start(request));
  await engine.allEnded();
  const used = engine.context.batches.map((parts) => parts.map(({ sequenceId }) => sequenceId));
  expect(used.filter(({ length }) => length === 2).at(-1)).toEqual([0, 1]);
  for (const [index, request] of requests.entries()) {
    const alone = new SimulatedEngine({ slots: 1, next: mixedModel });
    const reference = alone.start(request);
    await alone.allEnded();
    expect(generations[index]?.text).toBe(reference.text);
  }
});

describe("prefix reuse", () => {
  test("evaluates only the last token of a prompt that is still cached", async () => {
    const engine = new SimulatedEngine({ slots: 1 });
    const first = engine.start({ prompt: "abcdef" });
    await engine.allEnded();
    const second = engine.start({ prompt: "abcdef" });
    await engine.allEnded();
    expect([first.cachedTokens, second.cachedTokens]).toEqual([0, 5]);
    expect(second.text).toBe(first.text);
  });

  test("continues a conversation after its last answer", async () => {
    const engine = new SimulatedEngine({ slots: 2 });
    const first = engine.start({ prompt: "abc", maxTokens: 4 });
    await engine.allEnded();
    expect(first.text).toBe("defg");
    const second = engine.start({ prompt: "abcdefgxyz" });
    await engine.allEnded();
    // The last token of an answer is sampled, not evaluated.
    expect(second.cachedTokens).toBe(6);
    const used = engine.context.batches.flat().map(({ sequenceId }) => sequenceId);
    expect(new Set(used)).toEqual(new Set([0]));
  });

  test("keeps the caches of two conversations separate", async () => {
    const engine = new SimulatedEngine({ slots: 2 });
    for (const prompt of ["aaaa", "bbbb", "bbbb", "aaaa"]) {
      engine.start({ prompt, maxTokens: 1 });
      await engine.allEnded();
    }
    const reused = ["aaaa", "bbbb"].map((prompt) => engine.start({ prompt, maxTokens: 1 }));
    await engine.allEnded();
    expect(reused.map(({ cachedTokens }) => cachedTokens)).toEqual([3, 3]);
  });

  test("evicts the least recently used conversation", async () => {
    const engine = new SimulatedEngine({ slots: 2 });
    const run = async (prompt: string) => {
      const generation = engine.start({ prompt, maxTokens: 1 });
      await engine.allEnded();
      return generation.cachedTokens;
    };
    await run("aaaa");
    await run("bbbb");
    await run("aaaa");
    await run("cccc");
    expect(await run("aaaa")).toBe(3);
    expect(await run("bbbb")).toBe(0);
  });
});

describe("speculation", () => {
  const generateTexts = async (speculation: "auto" | "off") => {
    const engine = new SimulatedEngine({ slots: 3, batchSize: 64, speculation });
    const alphabet = "abcdefghijklmnopqrstuvwxyz";
    const generations = [`${alphabet}abc`, "xyx", `${alphabet}${alphabet}k`].map((prompt) =>
      engine.start({ prompt, maxTokens: 60, stop: ["ijklm"] }),
    );
    await engine.allEnded();
    return { engine, generations };
  };

  test("yields the same text in fewer steps", async () => {
    const plain = await generateTexts("off");
    const drafted = await generateTexts("auto");
    const results = ({ generations }: typeof plain) =>
      generations.map(({ text, finalEvent: end }) => ({
        text,
        end: end?.type === "finished" && { reason: end.reason, usage: end.usage },
      }));
    expect(results(drafted)).toEqual(results(plain));
    expect(drafted.engine.context.batches.length).toBeLessThan(plain.engine.context.batches.length);
    expect(drafted.engine.reports.some(({ draftTokens }) => draftTokens > 0)).toBe(true);
  });

  test("starts a new generation with the usual draft length of earlier ones", async () => {
    const engine = new SimulatedEngine({ slots: 1, batchSize: 64, speculation: "auto" });
    const firstDraft = async () => {
      engine.reports.length = 0;
      engine.start({ prompt: "abcdefghijklmnopqrstuvwxyzabc", maxTokens: 20 });
      await engine.allEnded();
      return engine.reports.find(({ draftTokens }) => draftTokens > 0)?.draftTokens;
    };
    expect(await firstDraft()).toBe(2);
    await firstDraft();
    expect(await firstDraft()).toBeGreaterThanOrEqual(4);
  });

  test("leaves no rejected tokens in the prefix cache", async () => {
    const { engine, generations } = await generateTexts("auto");
    const [first] = generations;
    const prompt = `abcdefghijklmnopqrstuvwxyzabc${first?.text}`;
    const again = engine.start({ prompt: `${prompt}zz`, maxTokens: 1 });
    await engine.allEnded();
    expect(again.cachedTokens).toBeGreaterThanOrEqual(prompt.length);
    expect(again.text).toBe("a");
  });
});

test("textOf inverts tokensOf", () => {
  expect(textOf(tokensOf("hello"))).toBe("hello");
});

test("an idle loop saves cells in advance so that the next prompt is admitted at once", async () => {
  const engine = new SimulatedEngine({ slots: 1, batchSize: 128 });
  engine.start({ prompt: "ab".repeat(50), maxTokens: 1 });
  await engine.allEnded();
  const kinds = () => engine.context.calls.map(({ kind }) => kind);
  expect(kinds()).toContain("save");
  const before = kinds().length;
  engine.start({ prompt: "xy".repeat(50), maxTokens: 1 });
  await engine.allEnded();
  expect(kinds().slice(before, kinds().indexOf("evaluate", before))).toEqual(["truncate"]);
});
