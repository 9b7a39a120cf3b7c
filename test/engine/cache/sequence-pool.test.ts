import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { RandomStream } from "../../../models/random/random-stream.js";
import { measureCommonPrefix } from "../../../src/engine/cache/common-prefix.js";
import { createTokenIdentity } from "../../../src/engine/cache/prompt-identity.js";
import { type AcquireOptions, SequencePool } from "../../../src/engine/cache/sequence-pool.js";
import type { Lease } from "../../../src/engine/cache/sequence-records.js";
import { StateStore, type StateStoreOptions } from "../../../src/engine/cache/state-store.js";
import { SimulatedContext, type SimulationOptions } from "../simulated/simulated-context.js";
import { alphabetModel } from "../simulated/simulated-engine.js";

const text = (length: number, from = 0) => Array.from({ length }, (_, index) => from + index);

const segment = (tokens: readonly number[]) => ({ type: "tokens", tokens }) as const;

const unknownCosts = { msPerPrefillToken: () => undefined, now: () => 0 };

async function pool(
  sequences = 2,
  onCall?: SimulationOptions["onCall"],
  {
    partialTruncation,
    maxBytes = 1000,
    layout,
    windowTokens,
  }: Pick<SimulationOptions, "partialTruncation" | "layout" | "windowTokens"> &
    Partial<Pick<StateStoreOptions, "maxBytes">> = {},
) {
  const batchSize = 512;
  const context = new SimulatedContext({
    sequences,
    batchSize,
    next: alphabetModel,
    onCall,
    partialTruncation,
    layout,
    windowTokens,
  });
  const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = await StateStore.open({
    context,
    folder,
    maxBytes,
    retention: { kind: "session" },
    onWarning: () => undefined,
  });
  const sequencePool = new SequencePool({ ...unknownCosts, context, store });
  /** Evaluates a prompt up to a length, in slices that end at checkpoints. */
  const evaluate = async (lease: Lease, prompt: readonly number[], length = prompt.length) => {
    while (lease.contents.cells.length < length) {
      const { sequenceId, contents } = lease;
      const position = contents.cells.length;
      const end = Math.min(length, position + sequencePool.tokensToCheckpoint(lease));
      const tokens = prompt.slice(position, end);
      await context.evaluate([{ sequenceId, position, tokens, logitsFrom: 0 }]);
      sequencePool.append(lease, segment(tokens));
      await sequencePool.saveCheckpoint(lease);
    }
    if (length === prompt.length) sequencePool.endPrefill(lease);
  };
  /** Leases a sequence for a prompt and evaluates it up to a length. */
  const prefill = async (
    prompt: readonly number[],
    length = prompt.length,
    options?: AcquireOptions,
  ) => {
    const leased = await sequencePool.acquire(createTokenIdentity(prompt), undefined, options);
    if (typeof leased === "string") throw new Error(leased);
    await evaluate(leased.lease, prompt, length);
    return leased;
  };
  return { context, sequencePool, store, evaluate, prefill };
}

describe("a sliding-window model", () => {
  const window = { partialTruncation: "unsupported", windowTokens: 20 } as const;
  const text = (length: number) => Array.from({ length }, (_, index) => index);

  test.each([
    { rule: "all but the last token of a repeated short prompt", held: 24, prompt: 24, cached: 23 },
    { rule: "a prefix whose window is still in the cache", held: 60, prompt: 40, cached: 39 },
    { rule: "nothing if the window has left the cache", held: 61, prompt: 40, cached: 0 },
  ])("reuses $rule", async ({ held, prompt, cached }) => {
    const { sequencePool, prefill } = await pool(1, undefined, window);
    sequencePool.release((await prefill(text(held))).lease);
    expect((await prefill(text(prompt))).cachedTokens).toBe(cached);
  });

  test("copies a prefix of a sequence whose window is still in the cache", async () => {
    const { prefill } = await pool(2, undefined, window);
    await prefill(text(60));
    expect((await prefill(text(41))).cachedTokens).toBe(40);
  });
});

describe("the sequence pool", () => {
  test("leases each sequence once, and is full when all are busy", async () => {
    const { sequencePool } = await pool();
    const leases = [
      await sequencePool.acquire(createTokenIdentity([1])),
      await sequencePool.acquire(createTokenIdentity([2])),
    ];
    expect(leases).toMatchObject([{ lease: { sequenceId: 0 } }, { lease: { sequenceId: 1 } }]);
    expect(await sequencePool.acquire(createTokenIdentity([3]))).toBe("full");
  });

  test("leases a released sequence again with its cached tokens", async () => {
    const { sequencePool, prefill } = await pool(1);
    const { lease } = await prefill(text(10));
    sequencePool.release(lease);
    expect(await sequencePool.acquire(createTokenIdentity(text(12)))).toMatchObject({
      cachedTokens: 10,
    });
    expect(lease.contents.cells).toEqual(text(10));
  });

  test("reports the tier of the cached prefix", async () => {
    const { sequencePool, prefill } = await pool(1);
    sequencePool.release((await prefill(text(100))).lease);
    sequencePool.release((await prefill(text(100, 500))).lease);
    const restored = await prefill(text(101));
    expect(restored).toMatchObject({ cachedTokens: 100, cachedIn: "ram" });
    sequencePool.release(restored.lease);
    expect(await prefill(text(102))).toMatchObject({ cachedTokens: 101, cachedIn: "kv" });
  });

  test("counts held cells and evicted prefixes", async () => {
    const { sequencePool, prefill } = await pool(2);
    expect(sequencePool.counters).toEqual({ busyCells: 0, cachedCells: 0, evicted: 0 });
    const { lease } = await prefill(text(40));
    await prefill(text(30, 500));
    expect(sequencePool.counters).toEqual({ busyCells: 70, cachedCells: 0, evicted: 0 });
    sequencePool.release(lease);
    expect(sequencePool.counters).toEqual({ busyCells: 30, cachedCells: 40, evicted: 0 });
    const goingOn = await prefill(text(45));
    expect(sequencePool.counters).toEqual({ busyCells: 75, cachedCells: 0, evicted: 0 });
    sequencePool.release(goingOn.lease);
    await prefill(text(10, 900));
    expect(sequencePool.counters).toEqual({ busyCells: 40, cachedCells: 0, evicted: 1 });
  });

  test("truncates a sequence to the prefix shared with the next prompt", async () => {
    const { context, sequencePool, prefill } = await pool(1);
    sequencePool.release((await prefill(text(10))).lease);
    const { lease, cachedTokens } = await prefill([...text(6), 50, 51]);
    expect(cachedTokens).toBe(6);
    expect(lease.contents.cells).toEqual([...text(6), 50, 51]);
    expect(context.calls.filter(({ kind }) => kind === "truncate")).toHaveLength(1);
  });

  test("delays a prompt while another prompt is evaluating the shared prefix", async () => {
    const { sequencePool, prefill } = await pool();
    const shared = text(100);
    const { lease } = await prefill([...shared, 200], 10);
    expect(await sequencePool.acquire(createTokenIdentity([...shared, 201]))).toBe("later");
    sequencePool.append(lease, segment([]));
    sequencePool.release(lease);
    expect(await sequencePool.acquire(createTokenIdentity([...shared, 201]))).toMatchObject({
      cachedTokens: 10,
    });
  });

  test("copies a prefix from a busy sequence without changing it", async () => {
    const { sequencePool, prefill } = await pool();
    const first = await prefill([...text(40), 200]);
    const second = await prefill([...text(40), 201]);
    expect(second.cachedTokens).toBe(40);
    expect(first.lease.contents.cells).toEqual([...text(40), 200]);
    expect(second.lease.contents.cells).toEqual([...text(40), 201]);
    expect(await sequencePool.acquire(createTokenIdentity([1]))).toBe("full");
  });

  test("saves a conversation before its sequence is overwritten, and restores it for its next turn", async () => {
    const { context, sequencePool, store, prefill } = await pool(1);
    sequencePool.release((await prefill(text(100))).lease);
    sequencePool.release((await prefill(text(80, 500))).lease);
    expect(store.counters).toMatchObject({ saved: 1, states: 1 });
    const { lease, cachedTokens } = await prefill(text(120));
    expect(cachedTokens).toBe(100);
    expect(lease.contents.cells).toEqual(text(120));
    expect(store.counters).toMatchObject({ saved: 2, restored: 1 });
    expect(context.calls.filter(({ kind }) => kind === "restore")).toHaveLength(1);
  });

  test("saves the state that the next prompt would overwrite once, in advance", async () => {
    const { context, sequencePool, prefill } = await pool(2);
    const saves = () => context.calls.filter(({ kind }) => kind === "save").length;
    const first = await prefill(text(100));
    sequencePool.release(first.lease);
    expect(await sequencePool.saveAhead()).toBe(false);
    const second = await prefill(text(100, 500));
    expect(await sequencePool.saveAhead()).toBe(true);
    expect(await sequencePool.saveAhead()).toBe(false);
    expect(saves()).toBe(1);
    const third = await prefill(text(100, 1000));
    expect([third.lease.sequenceId, saves()]).toEqual([first.lease.sequenceId, 1]);
    sequencePool.release(second.lease);
    expect(await sequencePool.saveAhead()).toBe(true);
  });

  test("saves no further state if saving takes longer than evaluation", async () => {
    const { context } = await pool(1);
    const clock = { now: 0 };
    const { store } = await pool(1);
    const save = store.save.bind(store);
    store.save = (...args) => {
      clock.now += 200;
      return save(...args);
    };
    const costly = new SequencePool({
      context,
      store,
      msPerPrefillToken: () => 1,
      now: () => clock.now,
    });
    for (const from of [0, 500, 1000]) {
      const placed = await costly.acquire(createTokenIdentity(text(100, from)));
      if (typeof placed === "string") throw new Error(placed);
      costly.append(placed.lease, segment(text(100, from)));
      costly.release(placed.lease);
    }
    expect(store.counters.saved + store.counters.failed).toBe(1);
  });

  test("does not save states that are short, still held, or already saved", async () => {
    const { sequencePool, store, prefill } = await pool(1);
    sequencePool.release((await prefill(text(60))).lease);
    sequencePool.release((await prefill(text(50, 500))).lease);
    sequencePool.release((await prefill([...text(50, 500), ...text(100, 700)])).lease);
    expect(store.counters.saved).toBe(0);
    sequencePool.release((await prefill(text(60))).lease);
    sequencePool.release((await prefill([...text(50, 500), ...text(100, 700)])).lease);
    expect(store.counters).toMatchObject({ saved: 1, restored: 1 });
    sequencePool.release((await prefill(text(60))).lease);
    expect(store.counters.saved).toBe(1);
  });

  test("evaluates a prompt from the beginning if its saved state cannot be read", async () => {
    const { sequencePool, store, prefill } = await pool(1, ({ kind }) =>
      kind === "restore" ? Promise.reject(new Error("unreadable")) : undefined,
    );
    sequencePool.release((await prefill(text(100))).lease);
    sequencePool.release((await prefill(text(80, 500))).lease);
    const { lease, cachedTokens } = await prefill(text(120));
    expect(cachedTokens).toBe(0);
    expect(lease.contents.cells).toEqual(text(120));
    expect(store.counters.failed).toBe(1);
  });

  test("moves a sequence into a persistent gap, and saves the state it overwrites", async () => {
    const { context, sequencePool, store, prefill } = await pool(4);
    await prefill(text(10, 900));
    const [low, high] = [await prefill(text(100)), await prefill(text(50, 300))];
    sequencePool.release(low.lease);
    for (let step = 0; step < 3; step++) await sequencePool.pack();
    expect(high.lease.sequenceId).toBe(2);
    await sequencePool.pack();
    expect(high.lease.sequenceId).toBe(1);
    expect(high.lease.contents.cells).toEqual(text(50, 300));
    expect(context.calls.filter(({ kind }) => kind === "copy")).toHaveLength(1);
    expect(store.states.map(({ prompt }) => prompt.cells)).toEqual([text(100)]);

    const { sequenceId } = high.lease;
    await context.evaluate([{ sequenceId, position: 50, tokens: [7], logitsFrom: 0 }]);
    sequencePool.append(high.lease, segment([7]));
    await sequencePool.keep(high.lease, 49);
    expect((await prefill(text(120))).cachedTokens).toBe(100);
    sequencePool.release(high.lease);
    expect(await sequencePool.acquire(createTokenIdentity(text(60, 300)))).toMatchObject({
      lease: { sequenceId: 1 },
      cachedTokens: 49,
    });
  });

  test("moves no sequence because of idle ones below the first busy one", async () => {
    const { context, sequencePool, prefill } = await pool(3);
    const [low, high] = [await prefill(text(100)), await prefill(text(50, 300))];
    sequencePool.release(low.lease);
    for (let step = 0; step < 9; step++) await sequencePool.pack();
    expect(high.lease.sequenceId).toBe(1);
    expect(context.calls.filter(({ kind }) => kind === "copy")).toEqual([]);
  });

  test("is not ready for drafts that need marks while a move waits for the next batch", async () => {
    for (const partialTruncation of ["supported", "unsupported"] as const) {
      const { context, sequencePool, prefill } = await pool(3, undefined, { partialTruncation });
      await prefill(text(10, 900));
      const [low, high] = [await prefill(text(60)), await prefill(text(50, 300))];
      sequencePool.release(low.lease);
      expect(sequencePool.isReadyForDrafts).toBe(true);
      for (let step = 0; step < 4; step++) await sequencePool.pack();
      expect(sequencePool.isReadyForDrafts).toBe(partialTruncation === "supported");
      const { sequenceId } = high.lease;
      await context.evaluate([{ sequenceId, position: 50, tokens: [7], logitsFrom: 0 }]);
      sequencePool.append(high.lease, segment([7]));
      expect(sequencePool.isReadyForDrafts).toBe(true);
    }
  });

  test("removes rejected tokens, or the whole batch if states cannot be truncated", async () => {
    const heldAfter = async (
      options: Pick<SimulationOptions, "partialTruncation">,
      length: number,
    ) => {
      const { context, sequencePool, prefill } = await pool(1, undefined, options);
      const { lease } = await prefill(text(10));
      await sequencePool.prepareForDraft(lease);
      await context.evaluate([{ sequenceId: 0, position: 10, tokens: [7, 8, 9], logitsFrom: 0 }]);
      sequencePool.append(lease, segment([7, 8, 9]));
      await sequencePool.keep(lease, length);
      expect(context.openMarks).toBe(0);
      return lease.contents.cells.slice(10);
    };
    expect(await heldAfter({ partialTruncation: "supported" }, 12)).toEqual([7, 8]);
    expect(await heldAfter({ partialTruncation: "unsupported" }, 12)).toEqual([]);
    expect(await heldAfter({ partialTruncation: "unsupported" }, 13)).toEqual([7, 8, 9]);
  });

  test.each(["release", "abandon"] as const)("frees a mark on %s", async (ending) => {
    const { context, sequencePool, prefill } = await pool(1, undefined, {
      partialTruncation: "unsupported",
    });
    const { lease } = await prefill(text(10));
    await sequencePool.prepareForDraft(lease);
    expect(context.openMarks).toBe(1);
    sequencePool[ending](lease);
    expect(context.openMarks).toBe(0);
  });

  test("empties the gap after a failed move", async () => {
    const { context, sequencePool, prefill } = await pool(3, ({ kind }) =>
      kind === "copy" ? Promise.reject(new Error("the device is lost")) : undefined,
    );
    await prefill(text(10, 900));
    const [low, high] = [await prefill(text(60)), await prefill(text(50, 300))];
    sequencePool.release(low.lease);
    for (let step = 0; step < 6; step++) await sequencePool.pack();
    expect(context.calls.filter(({ kind }) => kind === "copy")).toHaveLength(1);
    expect(high.lease).toMatchObject({
      sequenceId: 2,
      contents: createTokenIdentity(text(50, 300)),
    });
    expect(await sequencePool.acquire(createTokenIdentity(text(61)))).toMatchObject({
      lease: { sequenceId: 1 },
      cachedTokens: 0,
    });
  });

  describe("while a copy waits for the next batch", () => {
    const saved = text(100, 500);
    /** One of two sequences is leased with a pending copy from the other; another state is saved. */
    const withPendingCopy = async () => {
      const { prefill, ...opened } = await pool(2);
      const source = text(300, 700);
      for (const prompt of [saved, text(100), source]) {
        opened.sequencePool.release((await prefill(prompt)).lease);
      }
      const prompt = [...source.slice(0, 40), ...text(200, 2000)];
      const leased = await opened.sequencePool.acquire(createTokenIdentity(prompt));
      if (typeof leased === "string") throw new Error(leased);
      expect(leased).toMatchObject({ lease: { sequenceId: 1 }, cachedTokens: 40 });
      return { ...opened, lease: leased.lease, prompt };
    };

    test("no state is restored into the copied sequence", async () => {
      const { sequencePool, evaluate, lease, prompt } = await withPendingCopy();
      expect(await sequencePool.acquire(createTokenIdentity([...saved, 1]))).toBe("later");
      await evaluate(lease, prompt);
      expect(await sequencePool.acquire(createTokenIdentity([...saved, 1]))).toMatchObject({
        cachedTokens: 100,
      });
    });

    test("no state is restored into the target of the copy, and a prompt does not wait if no batch follows", async () => {
      const { sequencePool, lease } = await withPendingCopy();
      sequencePool.abandon(lease);
      expect(await sequencePool.acquire(createTokenIdentity([...saved, 1]))).toMatchObject({
        lease: { sequenceId: 1 },
        cachedTokens: 0,
      });
    });
  });

  test("moves no sequence without a gap, or into a temporary gap", async () => {
    const { context, sequencePool, prefill } = await pool(4);
    await prefill([1]);
    const low = await prefill([2]);
    await prefill([4]);
    for (let step = 0; step < 9; step++) await sequencePool.pack();
    sequencePool.abandon(low.lease);
    for (let step = 0; step < 3; step++) await sequencePool.pack();
    await prefill([3]);
    for (let step = 0; step < 3; step++) await sequencePool.pack();
    expect(context.calls.filter(({ kind }) => kind === "copy")).toEqual([]);
  });

  test("saves no line of a batch, which nothing continues", async () => {
    const { sequencePool, store, prefill } = await pool(1);
    const line = await prefill(text(100), 100, { keptFor: "nothing" });
    sequencePool.release(line.lease);
    expect(await sequencePool.saveAhead()).toBe(false);
    sequencePool.release((await prefill(text(80, 500))).lease);
    expect(store.counters.saved).toBe(0);
  });

  test("overwrites the tokens of suspended generations last, and saves them", async () => {
    const { sequencePool, store, prefill } = await pool(2);
    const line = await prefill(text(100), 100, { keptFor: "nothing" });
    sequencePool.release(line.lease, "generation");
    const chat = await prefill(text(50, 500));
    sequencePool.release(chat.lease);
    const next = await prefill(text(50, 700));
    expect(next.lease.sequenceId).toBe(chat.lease.sequenceId);
    const other = await prefill(text(50, 900));
    expect(other.lease.sequenceId).toBe(0);
    expect(store.states.map(({ prompt }) => prompt.cells)).toEqual([text(100)]);
  });

  test("overwrites the tokens of a suspended generation first when it does not continue", async () => {
    const { sequencePool, store, prefill } = await pool(2);
    sequencePool.release((await prefill(text(80, 500))).lease);
    const { lease } = await prefill(text(100));
    sequencePool.release(lease, "generation");
    sequencePool.forgetSuspended(lease);
    expect((await prefill(text(50, 700))).lease.sequenceId).toBe(1);
    expect(store.counters.saved).toBe(0);
  });

  test("does not forget a sequence that another generation has had since", async () => {
    const { sequencePool, prefill } = await pool(2);
    const { lease } = await prefill(text(10));
    sequencePool.release(lease, "generation");
    const resumed = await prefill(text(12));
    sequencePool.release(resumed.lease, "generation");
    const chat = await prefill(text(50, 500));
    sequencePool.release(chat.lease);
    sequencePool.forgetSuspended(lease);
    expect((await prefill(text(50, 700))).lease.sequenceId).toBe(chat.lease.sequenceId);
  });

  test("saves all conversations except short ones at shutdown", async () => {
    const { sequencePool, store, prefill } = await pool(3);
    vi.spyOn(store, "outlivesProcess", "get").mockReturnValue(true);
    sequencePool.release((await prefill(text(100))).lease);
    sequencePool.release((await prefill(text(20, 500))).lease);
    await sequencePool.saveAll();
    expect(store.states.map(({ prompt }) => prompt.cells)).toEqual([text(100)]);
  });

  test("saves no state at shutdown if the store is deleted with the process", async () => {
    const { context, sequencePool, prefill } = await pool(3);
    sequencePool.release((await prefill(text(100))).lease);
    await sequencePool.saveAll();
    expect(context.calls.filter(({ kind }) => kind === "save")).toEqual([]);
  });

  test("empties an abandoned sequence", async () => {
    const { sequencePool, prefill } = await pool(1);
    sequencePool.abandon((await prefill(text(10))).lease);
    expect(await sequencePool.acquire(createTokenIdentity(text(12)))).toMatchObject({
      cachedTokens: 0,
    });
  });

  test("leaves a sequence idle and empty if preparing it fails", async () => {
    let failures = 1;
    const { sequencePool, prefill } = await pool(1, ({ kind }) => {
      if (kind === "truncate" && failures-- > 0) throw new Error("the device is lost");
      return undefined;
    });
    sequencePool.release((await prefill(text(10))).lease);
    await expect(sequencePool.acquire(createTokenIdentity([9, 9]))).rejects.toThrow(
      "the device is lost",
    );
    expect(await sequencePool.acquire(createTokenIdentity(text(12)))).toMatchObject({
      cachedTokens: 0,
    });
  });

  test("retires a sequence that cannot be emptied, and is unusable if none is left", async () => {
    const { sequencePool, prefill } = await pool(1, ({ kind }) => {
      if (kind === "truncate") throw new Error("the device is lost");
      return undefined;
    });
    expect(sequencePool.isUsable).toBe(true);
    sequencePool.abandon((await prefill(text(3))).lease);
    expect(sequencePool.isUsable).toBe(false);
    expect(await sequencePool.acquire(createTokenIdentity([1]))).toBe("full");
  });
});

describe("a sequence pool without partial truncation", () => {
  const wholeStatePool = (sequences: number, maxBytes = 1000) =>
    pool(sequences, undefined, { partialTruncation: "unsupported", maxBytes });
  const lengths = (store: StateStore) => store.states.map(({ prompt }) => prompt.cells.length);

  test("saves a checkpoint before the end of a prompt, where the next turn continues", async () => {
    const { sequencePool, store, prefill } = await wholeStatePool(1);
    sequencePool.release((await prefill(text(100))).lease);
    expect(store.states.map(({ prompt }) => prompt.cells)).toEqual([text(84)]);
    expect((await prefill([...text(95), ...text(100, 500)])).cachedTokens).toBe(84);
    expect(store.counters).toMatchObject({ saved: 2, restored: 1, evicted: 0, failed: 0 });
  });

  test("saves no checkpoint if a prompt is short, or close to a saved state", async () => {
    const { sequencePool, store, prefill } = await wholeStatePool(4);
    sequencePool.release((await prefill(text(79))).lease);
    expect(lengths(store)).toEqual([]);
    sequencePool.release((await prefill([9, ...text(100)])).lease);
    expect(lengths(store)).toEqual([85]);
    sequencePool.release((await prefill([9, ...text(140)])).lease);
    expect(lengths(store)).toEqual([85]);
    sequencePool.release((await prefill([9, ...text(170)])).lease);
    expect(lengths(store)).toEqual([85, 155]);
  });

  test("saves a prefix shared by two prompts, and reuses it for the third", async () => {
    const { sequencePool, store, prefill } = await wholeStatePool(1);
    const cached: number[] = [];
    for (const from of [200, 400, 600, 800]) {
      const { lease, cachedTokens } = await prefill([...text(100), ...text(100, from)]);
      sequencePool.release(lease);
      cached.push(cachedTokens);
    }
    expect(cached).toEqual([0, 0, 96, 96]);
    expect(lengths(store)).toContain(96);
    expect(store.counters.restored).toBe(2);
  });

  test("delays prompts while their shared prefix is evaluated, and reuses its checkpoint", async () => {
    const { sequencePool, evaluate, prefill } = await wholeStatePool(3);
    const prompt = (from: number) => [...text(100), ...text(50, from)];
    const { lease } = await prefill(prompt(200), 10);
    for (const from of [400, 600])
      expect(await sequencePool.acquire(createTokenIdentity(prompt(from)))).toBe("later");
    await evaluate(lease, prompt(200));
    for (const from of [400, 600]) expect((await prefill(prompt(from))).cachedTokens).toBe(96);
  });

  test("ends a delay when the awaited prompt is abandoned", async () => {
    const { sequencePool, prefill } = await wholeStatePool(2);
    const { lease } = await prefill([...text(100), 200], 10);
    expect(await sequencePool.acquire(createTokenIdentity([...text(100), 201]))).toBe("later");
    sequencePool.abandon(lease);
    expect(await sequencePool.acquire(createTokenIdentity([...text(100), 201]))).toMatchObject({
      cachedTokens: 0,
    });
  });

  test("saves the planned checkpoints of a sequence that was moved", async () => {
    const { sequencePool, evaluate, store, prefill } = await wholeStatePool(3);
    await prefill(text(10, 900));
    const low = await prefill(text(10, 500));
    const { lease } = await prefill(text(100), 50);
    sequencePool.release(low.lease);
    for (let step = 0; step < 4; step++) await sequencePool.pack();
    expect(lease.sequenceId).toBe(1);
    await evaluate(lease, text(100));
    expect(lengths(store)).toEqual([84]);
  });

  test("evicts the least recently used checkpoint if the store is full", async () => {
    const { sequencePool, store, prefill } = await wholeStatePool(1, 200);
    const prompts = [0, 200, 400].map((from) => text(100, from));
    for (const prompt of prompts.slice(0, 2)) sequencePool.release((await prefill(prompt)).lease);
    const [first = [], second = [], third = []] = prompts;
    const again = await prefill([...first.slice(0, 90), 7]);
    expect(again.cachedTokens).toBe(84);
    sequencePool.release(again.lease);
    sequencePool.release((await prefill(third)).lease);
    expect(store.counters).toMatchObject({ states: 2, bytes: 168, evicted: 1, restored: 1 });
    expect((await prefill([...second.slice(0, 90), 7])).cachedTokens).toBe(0);
  });

  test("neither saves checkpoints nor delays prompts without a store", async () => {
    const context = new SimulatedContext({
      sequences: 2,
      batchSize: 512,
      next: alphabetModel,
      partialTruncation: "unsupported",
    });
    const sequencePool = new SequencePool({ ...unknownCosts, context });
    const leased = await sequencePool.acquire(createTokenIdentity([...text(100), 7]));
    if (typeof leased === "string") throw new Error(leased);
    expect(sequencePool.tokensToCheckpoint(leased.lease)).toBe(Number.POSITIVE_INFINITY);
    expect(await sequencePool.acquire(createTokenIdentity([...text(100), 8]))).toMatchObject({
      cachedTokens: 0,
    });
  });
});

describe("the cached tokens reported to an API key", () => {
  type Options = Parameters<typeof pool>[2];
  const keyed = async (
    sequences: number,
    options?: Options,
    onCall?: SimulationOptions["onCall"],
  ) => {
    const opened = await pool(sequences, onCall, options);
    /** Leases a sequence for a key's prompt and evaluates it. */
    const begin = async (owner: string | undefined, prompt: readonly number[]) => {
      const leased = await opened.sequencePool.acquire(createTokenIdentity(prompt), undefined, {
        owner,
      });
      if (typeof leased === "string") throw new Error(leased);
      await opened.evaluate(leased.lease, prompt);
      return leased;
    };
    /** Number of cached tokens, and the number reported to the key. */
    const ask = async (owner: string | undefined, prompt: readonly number[]) => {
      const { lease, cachedTokens, reportableTokens } = await begin(owner, prompt);
      opened.sequencePool.release(lease);
      return [cachedTokens, reportableTokens];
    };
    return { ...opened, begin, ask };
  };
  const [alice, bob] = ["alice", "bob"];

  test("include only prefixes of the key's own requests", async () => {
    const { ask } = await keyed(2);
    expect(await ask(alice, text(100))).toEqual([0, 0]);
    expect(await ask(alice, text(110))).toEqual([100, 100]);
    expect(await ask(bob, text(120))).toEqual([110, 0]);
    expect(await ask(bob, text(130))).toEqual([120, 120]);
  });

  test("are all cached tokens if there are no keys", async () => {
    const { ask } = await keyed(1);
    await ask(undefined, text(100));
    expect(await ask(undefined, text(110))).toEqual([100, 100]);
  });

  test("do not change when another key's prompt extends the cached prefix", async () => {
    const { ask } = await keyed(1);
    await ask(alice, text(100));
    await ask(bob, text(120));
    await ask("carol", text(140));
    // Alice's and Bob's prompts are beginnings of Carol's, of different lengths.
    expect(await ask(alice, text(141))).toEqual([140, 100]);
    expect(await ask(bob, text(142))).toEqual([141, 120]);
  });

  test("are rounded down to whole blocks after another key's prompt diverged, to hide its content", async () => {
    for (const [sharedTokens, known] of [
      [99, 64],
      [64, 64],
      [63, 0],
    ] as const) {
      const { ask } = await keyed(1);
      await ask(alice, text(100));
      await ask(bob, [...text(sharedTokens), ...text(10, 500)]);
      expect(await ask(alice, text(100))).toEqual([sharedTokens, known]);
    }
  });

  test("are kept when the state is not saved because another key's state has the same tokens", async () => {
    const { ask, store } = await keyed(1);
    await ask(alice, text(100));
    for (const owner of ["carol", bob, "carol"]) {
      await ask(owner, owner === bob ? text(100) : text(100, 1000));
    }
    expect(store.states).toHaveLength(2);
    expect(await ask(bob, text(100))).toEqual([99, 99]);
  });

  test("are the same whether or not a guess of another key's prompt is correct", async () => {
    const guess = async (prompt: readonly number[]) => {
      const { ask } = await keyed(3);
      await ask(alice, text(100));
      await ask(bob, [...text(5), ...text(20, 300)]);
      return ask(bob, prompt);
    };
    expect(await guess(text(101))).toEqual([100, 0]);
    expect(await guess([...text(5), ...text(96, 700)])).toEqual([0, 0]);
  });

  test("do not depend on whether another key's prompt shares a similar prefix", async () => {
    const toldAfter = async (other: readonly number[]) => {
      const { ask } = await keyed(1);
      await ask(bob, text(110));
      await ask("carol", text(100, 1000));
      await ask(alice, other);
      return ask(bob, text(120));
    };
    expect(await toldAfter(text(185, 500))).toEqual([110, 110]);
    expect(await toldAfter([...text(90), ...text(95, 500)])).toEqual([90, 110]);
  });

  test("survive saving, restoring and copying", async () => {
    const { sequencePool, ask, begin, store } = await keyed(2);
    await ask(alice, text(100));
    for (const from of [1000, 2000]) await ask("carol", text(60, from));
    expect(store.states.map(({ prompt }) => prompt.cells)).toContainEqual(text(100));
    expect(await ask(bob, text(110))).toEqual([100, 0]);
    expect(await ask(alice, text(111))).toEqual([110, 100]);

    const busy = await begin(bob, text(200));
    expect(await ask(alice, [...text(160), 7])).toMatchObject([160, 111]);
    sequencePool.release(busy.lease);
  });

  test("survive a move", async () => {
    const { sequencePool, ask, begin } = await keyed(3);
    await begin("carol", text(10, 900));
    const [low, high] = [await begin("carol", text(60, 3000)), await begin(alice, text(70, 4000))];
    sequencePool.release(low.lease);
    for (let step = 0; step < 4; step++) await sequencePool.pack();
    expect(high.lease.sequenceId).toBe(1);
    sequencePool.release(high.lease);
    expect(await ask(bob, text(71, 4000))).toEqual([70, 0]);
    expect(await ask(alice, text(72, 4000))).toEqual([71, 70]);
  });

  test("survive the suspension of a generation", async () => {
    const { sequencePool, ask, begin } = await keyed(1);
    await sequencePool.suspend((await begin(alice, text(100))).lease);
    await ask("carol", text(60, 1000));
    expect(await ask(bob, text(110))).toEqual([100, 0]);
    expect(await ask(alice, text(120))).toEqual([110, 100]);
  });

  test("exclude prompts evaluated without reuse and states that cannot be read", async () => {
    const { sequencePool, ask } = await keyed(1, {}, ({ kind }) =>
      kind === "restore" ? Promise.reject(new Error("unreadable")) : undefined,
    );
    await ask(alice, text(100));
    await ask("carol", text(60, 1000));
    expect(await ask(alice, text(110))).toEqual([0, 0]);
    const anew = { reuse: "anew", owner: alice } as const;
    expect(
      await sequencePool.acquire(createTokenIdentity(text(110)), undefined, anew),
    ).toMatchObject({
      reportableTokens: 0,
    });
  });

  test("are correct for checkpoints if states cannot be truncated", async () => {
    const { ask } = await keyed(1, { partialTruncation: "unsupported" });
    const turn = (from: number) => [...text(95), ...text(100, from)];
    await ask(alice, text(100));
    expect(await ask(bob, turn(500))).toEqual([84, 0]);
    expect(await ask(alice, turn(1000))).toEqual([84, 84]);
  });

  test("never exceed the common prefix with the key's own prompts, for any sequence of requests", async () => {
    const random = new RandomStream(37);
    const below = (limit: number) => (random.int32() >>> 0) % limit;
    for (const partialTruncation of ["supported", "unsupported"] as const) {
      const { ask } = await keyed(3, { partialTruncation, maxBytes: 500 });
      const asked = new Map<string, number[][]>();
      let told = 0;
      for (let request = 0; request < 100; request++) {
        const owner = `key ${below(3)}`;
        const own = asked.get(owner) ?? [];
        const prompt = [...text(below(150)), ...text(1 + below(60), 200 * (1 + below(4)))];
        const [, known = 0] = await ask(owner, prompt);
        const most = Math.max(0, ...own.map((other) => measureCommonPrefix(other, prompt)));
        expect(known).toBeLessThanOrEqual(most);
        asked.set(owner, [...own, prompt]);
        told += known;
      }
      expect(told).toBeGreaterThan(500);
    }
  });
});

test.each([
  { msPerPrefillToken: 0.1, cachedTokens: 0 },
  { msPerPrefillToken: 1, cachedTokens: 100 },
  { msPerPrefillToken: undefined, cachedTokens: 100 },
])(
  "of 100 shared tokens, $cachedTokens are copied if a copy takes 17 ms and a token $msPerPrefillToken ms",
  async ({ msPerPrefillToken, cachedTokens }) => {
    const context = new SimulatedContext({
      sequences: 2,
      batchSize: 512,
      next: alphabetModel,
      copyMs: 17,
    });
    const sequencePool = new SequencePool({
      ...unknownCosts,
      context,
      msPerPrefillToken: () => msPerPrefillToken,
    });
    const first = await sequencePool.acquire(createTokenIdentity([...text(100), 500]));
    if (typeof first === "string") throw new Error(first);
    const tokens = [...text(100), 500];
    await context.evaluate([{ sequenceId: 0, position: 0, tokens, logitsFrom: 0 }]);
    sequencePool.append(first.lease, segment(tokens));
    sequencePool.endPrefill(first.lease);
    expect(await sequencePool.acquire(createTokenIdentity([...text(100), 501]))).toMatchObject({
      cachedTokens,
    });
  },
);

describe("after restoring a state failed,", () => {
  const SAVED = text(200, 500);
  const failing: SimulationOptions["onCall"] = ({ kind }) =>
    kind === "restore" ? Promise.reject(new Error("unreadable")) : undefined;
  const unified = { kind: "unified", cells: 400 } as const;

  /** A pool with idle sequences whose store contains a state that cannot be restored. */
  const withBadState = async (options: Parameters<typeof pool>[2] = {}) => {
    const parts = await pool(2, failing, options);
    const { sequencePool, store, prefill } = parts;
    sequencePool.release((await prefill(SAVED)).lease);
    for (const from of [0, 100]) sequencePool.release((await prefill(text(20, from))).lease);
    const [state] = store.states;
    expect(state?.prompt.cells).toEqual(SAVED);
    const clears = () => parts.context.calls.filter(({ kind }) => kind === "clear").length;
    return { ...parts, clears };
  };

  test.each([{ kind: "split" } as const, unified])(
    "all cells are cleared before the next lease if no sequence is busy: $kind",
    async (layout) => {
      const { sequencePool, prefill, clears, store } = await withBadState({ layout });
      expect(await prefill(SAVED)).toMatchObject({ cachedTokens: 0 });
      expect(clears()).toBe(1);
      expect(store.states.map(({ prompt }) => prompt.cells)).not.toContainEqual(SAVED);
      // All cells have been cleared.
      expect(await sequencePool.acquire(createTokenIdentity(text(20)))).toMatchObject({
        cachedTokens: 0,
      });
    },
  );

  test("its sequence stays unused while another one is busy", async () => {
    const { sequencePool, prefill, clears } = await withBadState();
    const beside = await prefill(text(20, 300));
    expect(await sequencePool.acquire(createTokenIdentity(SAVED))).toBe("full");
    expect(clears()).toBe(0);
    sequencePool.release(beside.lease);
    expect(await prefill(SAVED)).toMatchObject({ cachedTokens: 0 });
    expect(clears()).toBe(1);
  });

  test("no prompt is admitted in the unified layout while a sequence is busy", async () => {
    const { sequencePool, prefill, clears } = await withBadState({ layout: unified });
    const beside = await prefill(text(20, 300));
    expect(await sequencePool.acquire(createTokenIdentity(SAVED))).toBe("full");
    expect(await sequencePool.acquire(createTokenIdentity(text(10, 700)))).toBe("full");
    sequencePool.release(beside.lease);
    expect(await sequencePool.acquire(createTokenIdentity(text(10, 700)))).toMatchObject({
      cachedTokens: 0,
    });
    expect(clears()).toBe(1);
  });
});

describe("the quarantine of a lease", () => {
  test("includes only idle sequences that share its prefix", async () => {
    const { sequencePool, prefill, context } = await pool(4);
    const PREFIX = text(40);
    const busy = await prefill(text(30, 600));
    const broken = await prefill([...PREFIX, 900]);
    sequencePool.release((await prefill([...PREFIX, 901])).lease);
    sequencePool.release((await prefill(text(40, 300))).lease);
    sequencePool.quarantine(broken.lease);
    expect(await sequencePool.acquire(createTokenIdentity([...PREFIX, 902]))).toMatchObject({
      lease: { sequenceId: 3 },
      cachedTokens: 0,
    });
    expect(await sequencePool.acquire(createTokenIdentity([1]))).toBe("full");
    expect(sequencePool.isUsable).toBe(true);
    expect(context.calls.map(({ kind }) => kind)).not.toContain("clear");
    sequencePool.release(busy.lease);
  });
});
