import { describe, expect, it } from "vitest";
import { Replica } from "../../src/replicas/replica.js";
import { engineStatistics } from "../support/engine-statistics.js";
import { ManualEngine } from "../support/manual-engine.js";

const timings = { draftTokens: 0, acceptedDraftTokens: 0, forcedTokens: 0 };

function startedReplica(savedBytes = 0) {
  const replica = new Replica(0, {}, savedBytes);
  const engine = new ManualEngine({ slots: 2, contextSize: 500 });
  replica.setEngine(engine);
  replica.run();
  return { replica, engine };
}

describe("a replica", () => {
  it("learns its speed from answers that evaluated enough tokens", () => {
    const { replica } = startedReplica();
    replica.learn({ ...timings, prefillMs: 100, decodeMs: 300 }, 50);
    expect([replica.msPerPromptToken, replica.serviceMs]).toEqual([2, 400]);
    replica.learn({ ...timings, prefillMs: 900, decodeMs: 100 }, 3);
    expect(replica.msPerPromptToken).toBe(2);
    expect(replica.serviceMs).toBeCloseTo(460);
  });

  it("counts the prompt tokens that its generations have to evaluate", () => {
    const { replica } = startedReplica();
    const work = () => replica.workAheadOf(undefined);
    replica.enter({ id: "a" }, 100);
    replica.enter({ id: "b" }, 50);
    expect(work()).toEqual({ generations: 2, pendingTokens: 150 });
    replica.notePrompt("a");
    expect(work()).toEqual({ generations: 2, pendingTokens: 50 });
    replica.leave("b");
    expect(work()).toEqual({ generations: 1, pendingTokens: 0 });
  });

  it("delays only lines of batches by lines of batches", () => {
    const { replica } = startedReplica();
    replica.enter({ id: "chat" }, 100);
    replica.enter({ id: "line", class: "batch" }, 50);
    expect(replica.workAheadOf(undefined)).toEqual({ generations: 1, pendingTokens: 100 });
    expect(replica.workAheadOf("batch")).toEqual({ generations: 2, pendingTokens: 150 });
    expect(replica.generations).toBe(2);
  });

  it("keeps the counters of processes that have exited, but not their state", () => {
    const { replica, engine } = startedReplica();
    expect(replica.readStatistics()).toBeUndefined();
    Object.assign(engine, { statistics: engineStatistics });
    expect(replica.readStatistics()).toEqual(engineStatistics);
    Object.assign(engine, { statistics: undefined });
    replica.stop();
    expect(replica.readStatistics()).toMatchObject({
      prefillTokens: engineStatistics.prefillTokens,
      residentBytes: 0,
      cells: { busy: 0, cached: 0, total: 0 },
    });
    Object.assign(engine, { statistics: { ...engineStatistics, prefillTokens: 5 } });
    replica.run();
    expect(replica.readStatistics()).toMatchObject({
      prefillTokens: engineStatistics.prefillTokens + 5,
      residentBytes: engineStatistics.residentBytes,
      cells: engineStatistics.cells,
    });
  });

  it.each([
    ["its cells", 0, 1000],
    ["its cells and the states that fit into its other memory", 500_000, 1500],
    ["at most a million tokens", 1e12, 2 ** 20],
  ])("records as many cached tokens as %s hold", (_, savedBytes, expected) => {
    const { replica } = startedReplica(savedBytes);
    const hashes = Array.from({ length: 2000 }, (_, index) => index);
    replica.cached.add(hashes, 1000);
    expect(replica.cached.tokens).toBe(Math.min(2_000_000, Math.floor(expected / 1000) * 1000));
  });
});
