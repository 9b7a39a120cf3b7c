import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { SequencePool } from "../../src/engine/sequence-pool.js";
import { StateStore } from "../../src/engine/state-store.js";
import { SimulatedContext } from "./simulated-context.js";
import { alphabetModel } from "./simulated-engine.js";

const text = (length: number, from = 0) => Array.from({ length }, (_, index) => from + index);

async function pool(
  sequences = 2,
  onCall?: ConstructorParameters<typeof SimulatedContext>[0]["onCall"],
) {
  const context = new SimulatedContext({ sequences, batchSize: 512, next: alphabetModel, onCall });
  const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = await StateStore.open({ context, folder, maxBytes: 1000, keeps: "session" });
  const sequencePool = new SequencePool(context, store);
  /** Leases a sequence for a prompt and evaluates some of it. */
  const take = async (prompt: number[], evaluate = prompt.length) => {
    const leased = await sequencePool.lease(prompt);
    if (typeof leased === "string") throw new Error(leased);
    const { lease, cachedTokens } = leased;
    const tokens = prompt.slice(cachedTokens, evaluate);
    const { sequenceId } = lease;
    await context.evaluate([{ sequenceId, position: cachedTokens, tokens, logitsFrom: 0 }]);
    sequencePool.hold(lease, tokens);
    if (evaluate === prompt.length) sequencePool.endPrefill(lease);
    return leased;
  };
  return { context, sequencePool, store, take };
}

describe("the sequence pool", () => {
  test("leases each sequence once and is full then", async () => {
    const { sequencePool } = await pool();
    const leases = [await sequencePool.lease([1]), await sequencePool.lease([2])];
    expect(leases).toMatchObject([{ lease: { sequenceId: 0 } }, { lease: { sequenceId: 1 } }]);
    expect(await sequencePool.lease([3])).toBe("full");
  });

  test("gives a released sequence again, with what it holds", async () => {
    const { sequencePool, take } = await pool(1);
    const { lease } = await take(text(10));
    sequencePool.release(lease);
    expect(await sequencePool.lease(text(12))).toMatchObject({ cachedTokens: 10 });
    expect(lease.heldTokens).toEqual(text(10));
  });

  test("cuts a sequence to what the next prompt shares, before it is leased", async () => {
    const { context, sequencePool, take } = await pool(1);
    sequencePool.release((await take(text(10))).lease);
    const { lease, cachedTokens } = await take([...text(6), 50, 51]);
    expect(cachedTokens).toBe(6);
    expect(lease.heldTokens).toEqual([...text(6), 50, 51]);
    expect(context.calls.filter(({ kind }) => kind === "cut")).toHaveLength(1);
  });

  test("makes a prompt wait for another that evaluates the same, then copies it", async () => {
    const { sequencePool, take } = await pool();
    const shared = text(100);
    const { lease } = await take([...shared, 200], 10);
    expect(await sequencePool.lease([...shared, 201])).toBe("later");
    sequencePool.hold(lease, []);
    sequencePool.release(lease);
    expect(await sequencePool.lease([...shared, 201])).toMatchObject({ cachedTokens: 10 });
  });

  test("copies from a leased sequence, which keeps what it has", async () => {
    const { sequencePool, take } = await pool();
    const first = await take([...text(40), 200]);
    const second = await take([...text(40), 201]);
    expect(second.cachedTokens).toBe(40);
    expect(first.lease.heldTokens).toEqual([...text(40), 200]);
    expect(second.lease.heldTokens).toEqual([...text(40), 201]);
    expect(await sequencePool.lease([1])).toBe("full");
  });

  test("saves a conversation that loses its sequence, and restores it for its next turn", async () => {
    const { context, sequencePool, store, take } = await pool(1);
    sequencePool.release((await take(text(100))).lease);
    sequencePool.release((await take(text(80, 500))).lease);
    expect(store.counters).toMatchObject({ saved: 1, states: 1 });
    const { lease, cachedTokens } = await take(text(120));
    expect(cachedTokens).toBe(100);
    expect(lease.heldTokens).toEqual(text(120));
    expect(store.counters).toMatchObject({ saved: 2, restored: 1 });
    expect(context.calls.filter(({ kind }) => kind === "restore")).toHaveLength(1);
  });

  test("does not save what is short, kept, or saved already", async () => {
    const { sequencePool, store, take } = await pool(1);
    sequencePool.release((await take(text(60))).lease);
    sequencePool.release((await take(text(50, 500))).lease);
    sequencePool.release((await take([...text(50, 500), ...text(100, 700)])).lease);
    expect(store.counters.saved).toBe(0);
    sequencePool.release((await take(text(60))).lease);
    sequencePool.release((await take([...text(50, 500), ...text(100, 700)])).lease);
    expect(store.counters).toMatchObject({ saved: 1, restored: 1 });
    sequencePool.release((await take(text(60))).lease);
    expect(store.counters.saved).toBe(1);
  });

  test("evaluates a prompt anew whose saved state cannot be read", async () => {
    const { sequencePool, store, take } = await pool(1, ({ kind }) =>
      kind === "restore" ? Promise.reject(new Error("unreadable")) : undefined,
    );
    sequencePool.release((await take(text(100))).lease);
    sequencePool.release((await take(text(80, 500))).lease);
    const { lease, cachedTokens } = await take(text(120));
    expect(cachedTokens).toBe(0);
    expect(lease.heldTokens).toEqual(text(120));
    expect(store.counters.failed).toBe(1);
  });

  test("closes a gap that lasts, and what was there before can be restored", async () => {
    const { context, sequencePool, store, take } = await pool(3);
    const [low, high] = [await take(text(100)), await take(text(50, 300))];
    sequencePool.release(low.lease);
    for (let step = 0; step < 3; step++) await sequencePool.pack();
    expect(high.lease.sequenceId).toBe(1);
    await sequencePool.pack();
    expect(high.lease.sequenceId).toBe(0);
    expect(high.lease.heldTokens).toEqual(text(50, 300));
    expect(context.calls.filter(({ kind }) => kind === "copy")).toHaveLength(1);
    expect(store.states.map(({ tokens }) => tokens)).toEqual([text(100)]);

    const { sequenceId } = high.lease;
    await context.evaluate([{ sequenceId, position: 50, tokens: [7], logitsFrom: 0 }]);
    sequencePool.hold(high.lease, [7]);
    sequencePool.cut(high.lease, 49);
    expect((await take(text(120))).cachedTokens).toBe(100);
    sequencePool.release(high.lease);
    expect(await sequencePool.lease(text(60, 300))).toMatchObject({
      lease: { sequenceId: 0 },
      cachedTokens: 49,
    });
  });

  test("moves nothing where there is no gap, or a short one", async () => {
    const { context, sequencePool, take } = await pool(3);
    const low = await take([1]);
    await take([2]);
    for (let step = 0; step < 9; step++) await sequencePool.pack();
    sequencePool.abandon(low.lease);
    for (let step = 0; step < 3; step++) await sequencePool.pack();
    await take([3]);
    for (let step = 0; step < 3; step++) await sequencePool.pack();
    expect(context.calls.filter(({ kind }) => kind === "copy")).toEqual([]);
  });

  test("saves all conversations at the end, but for those that are short", async () => {
    const { sequencePool, store, take } = await pool(3);
    sequencePool.release((await take(text(100))).lease);
    sequencePool.release((await take(text(20, 500))).lease);
    await sequencePool.saveAll();
    expect(store.states.map(({ tokens }) => tokens)).toEqual([text(100)]);
  });

  test("takes a sequence back empty after a failure", async () => {
    const { sequencePool, take } = await pool(1);
    sequencePool.abandon((await take(text(10))).lease);
    expect(await sequencePool.lease(text(12))).toMatchObject({ cachedTokens: 0 });
  });

  test("gives the sequence back when preparing it fails", async () => {
    let refusals = 1;
    const { sequencePool, take } = await pool(1, ({ kind }) => {
      if (kind === "cut" && refusals-- > 0) throw new Error("the device is lost");
      return undefined;
    });
    sequencePool.release((await take(text(10))).lease);
    await expect(sequencePool.lease([9, 9])).rejects.toThrow("the device is lost");
    expect(await sequencePool.lease(text(12))).toMatchObject({ cachedTokens: 0 });
  });

  test("does not use a sequence again that cannot be emptied, and says when none is left", async () => {
    const { sequencePool, take } = await pool(1, ({ kind }) => {
      if (kind === "cut") throw new Error("the device is lost");
      return undefined;
    });
    expect(sequencePool.isUsable).toBe(true);
    sequencePool.abandon((await take(text(3))).lease);
    expect(sequencePool.isUsable).toBe(false);
    expect(await sequencePool.lease([1])).toBe("full");
  });
});
