import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  mixedModel,
  SimulatedEngine,
  type SimulatedEngineOptions,
  type SimulatedRequest,
} from "../simulated/simulated-engine.js";

const line = (id: string, request: SimulatedRequest = {}): SimulatedRequest => ({
  id,
  class: "batch",
  ...request,
});

/** Starts lines, and other requests once the first line has some text. */
async function interrupt(
  lines: readonly SimulatedRequest[],
  others: readonly SimulatedRequest[],
  { afterTexts = 1, ...options }: SimulatedEngineOptions & { readonly afterTexts?: number } = {},
) {
  const order: string[] = [];
  const noteEnd = (id: string) => (event: { readonly type: string }) => {
    if (event.type === "finished") order.push(id);
  };
  const engine: SimulatedEngine = new SimulatedEngine({ slots: 2, ...options });
  let texts = 0;
  const started = lines.map((one, index) =>
    engine.start({
      ...one,
      onEvent: (event) => {
        noteEnd(one.id ?? "")(event);
        if (index > 0 || event.type !== "text-delta" || ++texts !== afterTexts) return;
        for (const other of others) {
          engine.start({ ...other, onEvent: noteEnd(other.id ?? "") });
        }
      },
    }),
  );
  await engine.allEnded();
  const widths = engine.context.batches.map(({ length }) => length);
  const evaluated = engine.context.batches
    .flat()
    .reduce((sum, { tokens }) => sum + tokens.length, 0);
  return { engine, started, order, widths, evaluated };
}

describe("on a CPU, generations of batches", () => {
  test("are suspended for another generation, and continue after it", async () => {
    const { order, started, widths } = await interrupt(
      [line("a", { maxTokens: 10 }), line("b", { maxTokens: 10 })],
      [{ id: "chat", prompt: "xyz", maxTokens: 8 }],
    );
    expect(order[0]).toBe("chat");
    expect(started.map(({ text }) => text)).toEqual(["defghijklm", "defghijklm"]);
    expect(widths.filter((width) => width === 1).length).toBeGreaterThanOrEqual(8);
  });

  test("evaluate only their last token again if their sequences are still cached", async () => {
    const lines = [line("a", { maxTokens: 30 }), line("b", { prompt: "k", maxTokens: 30 })];
    const chat = { id: "chat", prompt: "xyz", maxTokens: 4 };
    const options = { slots: 3, afterTexts: 20 };
    const undisturbed = await interrupt(lines, [], options);
    const interrupted = await interrupt(lines, [chat], options);
    const chatTokens = 3 + 4;
    // The batch that was aborted, and the last token of each line.
    expect(interrupted.evaluated - undisturbed.evaluated).toBeLessThanOrEqual(chatTokens + 4);
  });

  test("evaluate the tokens of one line again if another generation needs its sequence", async () => {
    const lines = ["a", "e", "i", "m", "q", "u"].map((letter) =>
      line(letter, { prompt: letter.repeat(20), maxTokens: 30 }),
    );
    const chat = { id: "chat", prompt: "xyz", maxTokens: 4 };
    const options = { slots: lines.length, afterTexts: 10, maxStoredTokens: "none" } as const;
    const undisturbed = await interrupt(lines, [], options);
    const interrupted = await interrupt(lines, [chat], options);
    const chatTokens = 3 + 4;
    const lineTokens = 20 + 10;
    // The batch that was aborted, and the last token of each line.
    const repeated = 2 * lines.length;
    expect(interrupted.evaluated - undisturbed.evaluated).toBeLessThanOrEqual(
      chatTokens + lineTokens + repeated,
    );
  });

  test("leave the sequence with the fewest tokens to another one", async () => {
    const lines = [
      line("long", { prompt: "a".repeat(60), maxTokens: 30 }),
      line("short", { prompt: "i", maxTokens: 30 }),
      line("medium", { prompt: "m".repeat(30), maxTokens: 30 }),
    ];
    const chat = { id: "chat", prompt: "xyz", maxTokens: 4 };
    const options = { slots: lines.length, afterTexts: 10, maxStoredTokens: "none" } as const;
    const undisturbed = await interrupt(lines, [], options);
    const interrupted = await interrupt(lines, [chat], options);
    const shortTokens = 1 + 10;
    const repeated = 2 * lines.length;
    expect(interrupted.evaluated - undisturbed.evaluated).toBeLessThanOrEqual(
      3 + 4 + shortTokens + repeated,
    );
  });

  test("do not begin while there are others", async () => {
    const engine = new SimulatedEngine({ slots: 2 });
    const order: string[] = [];
    engine.start({ id: "chat", maxTokens: 3, onEvent: () => order.push("chat") });
    engine.start(line("a", { maxTokens: 3, onEvent: () => order.push("a") }));
    await engine.allEnded();
    expect(order.lastIndexOf("chat")).toBeLessThan(order.indexOf("a"));
  });

  test("begin in order, after the suspended ones", async () => {
    const ids = ["a", "b", "c", "d"];
    const { order } = await interrupt(
      ids.map((id) => line(id, { maxTokens: 6 })),
      [{ id: "chat", maxTokens: 3 }],
    );
    expect(order).toEqual(["chat", ...ids]);
  });

  test("are cancelled while they are suspended", async () => {
    const engine: SimulatedEngine = new SimulatedEngine({ slots: 2 });
    const suspended = engine.start(
      line("a", {
        maxTokens: 40,
        onEvent: ({ type }) => {
          if (type === "text-delta" && chat === undefined) chat = engine.start(chatRequest);
        },
      }),
    );
    let chat: unknown;
    const chatRequest: SimulatedRequest = {
      id: "chat",
      maxTokens: 10,
      onEvent: () => engine.cancel("a"),
    };
    await engine.allEnded();
    expect(suspended.endings).toEqual(["cancelled"]);
  });

  test("run to their end if their prompt is scored", async () => {
    const scored = line("a", {
      maxTokens: 5,
      topLogProbabilities: 1,
      scoredTokens: "all",
    });
    const { order } = await interrupt([scored], [{ id: "chat", maxTokens: 20 }]);
    expect(order).toEqual(["a", "chat"]);
  });
});

describe("on a GPU, generations of batches", () => {
  const onGpu = { batchSharing: "free-slots" } as const;

  test("leave only the sequences that others need, the youngest first", async () => {
    const ids = ["a", "b", "c"];
    const { order } = await interrupt(
      ids.map((id) => line(id, { maxTokens: 12 })),
      [{ id: "chat", prompt: "xyz", maxTokens: 3 }],
      { ...onGpu, slots: 3 },
    );
    expect(order).toEqual(["chat", "a", "b", "c"]);
  });

  test("keep their sequences if there are enough", async () => {
    const { widths } = await interrupt(
      [line("a", { maxTokens: 12 })],
      [{ id: "chat", prompt: "xyz", maxTokens: 3 }],
      onGpu,
    );
    expect(widths.filter((width) => width === 2).length).toBeGreaterThanOrEqual(2);
  });

  test("leave the cells of a unified cache that others need", async () => {
    const { order, started } = await interrupt(
      [line("a", { maxTokens: 40 }), line("b", { maxTokens: 40 })],
      [{ id: "chat", prompt: "xyz".repeat(10), maxTokens: 20 }],
      { ...onGpu, slots: 3, cells: 100 },
    );
    expect(order[0]).toBe("chat");
    const text = Array.from({ length: 40 }, (_, index) =>
      String.fromCharCode(0x61 + ((3 + index) % 26)),
    );
    expect(started.map((one) => one.text)).toEqual([text.join(""), text.join("")]);
  });
});

test("answers do not depend on interruptions", async () => {
  const model = (held: readonly number[]) => mixedModel(held) % 26;
  const someRequest = (requestClass: "batch" | undefined) =>
    fc.record({
      prompt: fc.string({ unit: fc.constantFrom(..."abcd"), minLength: 1, maxLength: 20 }),
      maxTokens: fc.integer({ min: 1, max: 20 }),
      limitedBy: fc.constantFrom("request", "context"),
      class: fc.constant(requestClass),
    });
  await fc.assert(
    fc.asyncProperty(
      fc.array(someRequest("batch"), { minLength: 1, maxLength: 5 }),
      fc.array(someRequest(undefined), { maxLength: 4 }),
      fc.constantFrom<SimulatedEngineOptions[]>(
        {},
        { batchSharing: "free-slots" },
        { cells: 120 },
        { cells: 120, batchSharing: "free-slots" },
        { speculation: "auto" },
        { partialTruncation: "unsupported" },
      ),
      async (lines, others, options) => {
        const alone = await Promise.all(
          lines.map(async (request) => {
            const engine = new SimulatedEngine({ slots: 1, next: model });
            const generation = engine.start({ ...request, class: undefined });
            await engine.allEnded();
            return generation.text;
          }),
        );
        const named = lines.map((one, index) => ({ ...one, id: `line-${index}` }));
        const { engine, started } = await interrupt(
          named,
          others.map((one, index) => ({ ...one, id: `chat-${index}` })),
          { next: model, ...options },
        );
        expect(started.map(({ text }) => text)).toEqual(alone);
        expect(engine.failures).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});
