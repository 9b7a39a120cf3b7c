import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { NO_MEMORY } from "../../../src/core/memory-use.js";
import { computeThreadLimit } from "../../../src/models/pool/core-sharing.js";
import { ModelPool } from "../../../src/models/pool/model-pool.js";
import { scriptedLoads } from "./loadables.js";

describe("the thread limit of a model", () => {
  test.for([
    { cores: 8, computing: 0, loading: 0, limit: undefined },
    { cores: 8, computing: 1, loading: 0, limit: undefined },
    { cores: 8, computing: 0, loading: 1, limit: undefined },
    { cores: 8, computing: 1, loading: 1, limit: 7 },
    { cores: 8, computing: 2, loading: 0, limit: 4 },
    { cores: 8, computing: 2, loading: 1, limit: 3 },
    { cores: 8, computing: 3, loading: 0, limit: 2 },
    { cores: 2, computing: 1, loading: 1, limit: 1 },
    { cores: 2, computing: 3, loading: 1, limit: 1 },
    { cores: 1, computing: 1, loading: 1, limit: 1 },
  ])(
    "is $limit on $cores cores while $computing models compute and $loading models load",
    ({ limit, ...demand }) => {
      expect(computeThreadLimit(demand)).toBe(limit);
    },
  );

  const counts = { cores: fc.nat(256), computing: fc.nat(40), loading: fc.nat(3) };
  test("never exceeds the remaining cores, but is at least one", () => {
    fc.assert(
      fc.property(fc.record(counts), (demand) => {
        const limit = computeThreadLimit(demand);
        if (limit === undefined) return demand.computing + demand.loading <= 1;
        return limit === 1 || limit * demand.computing + demand.loading <= demand.cores;
      }),
    );
  });
});

describe("models that compute at the same time", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const settle = () => vi.advanceTimersByTimeAsync(0);

  /** Three models that fit into memory together, on eight cores. */
  function poolOnEightCores(
    options: Parameters<ReturnType<typeof scriptedLoads>["loadable"]>[1] = {},
  ) {
    const loads = scriptedLoads();
    const pool = new ModelPool({
      cores: 8,
      models: ["a", "b", "c"].map((alias) => loads.loadable(alias, options)),
      budget: () => ({ cpuBytes: 3, gpuBytes: 0 }),
      maxWaiting: 10,
      waitingLimitMs: 0,
      onFailure: () => undefined,
    });
    /**
     * Starts a request, which loads its model.
     * @returns a function that ends the request
     */
    const begin = async (alias: string) => {
      const ends: (() => void)[] = [];
      const model = pool.find(alias);
      if (model === undefined) throw new Error(`no model ${alias}`);
      const { signal } = new AbortController();
      const answer = pool.use(model, { signal, onEnd: (end) => ends.push(end) });
      await settle();
      loads.pending[0]?.finish();
      await answer;
      await settle();
      return () => {
        for (const end of ends) end();
      };
    };
    return { loads, pool, begin };
  }

  test("share the cores, and regain all cores when the others end", async () => {
    const { loads, begin } = poolOnEightCores();
    const endA = await begin("a");
    expect(loads.limits.get("a")).toBe(undefined);
    const endB = await begin("b");
    expect([...loads.limits]).toEqual([
      ["a", 4],
      ["b", 4],
    ]);
    endB();
    expect(loads.limits.get("a")).toBe(undefined);
    const endAgain = await begin("b");
    expect(loads.limits.get("a")).toBe(4);
    endA();
    expect(loads.limits.get("b")).toBe(undefined);
    endAgain();
  });

  test("leave a core to a model that is being planned or loaded, and regain it if loading fails", async () => {
    let plan = () => {};
    const { loads, pool, begin } = poolOnEightCores({
      plan: () =>
        new Promise((resolve) => {
          plan = () => resolve(NO_MEMORY);
        }),
    });
    const began = begin("a");
    await settle();
    plan();
    await settle();
    loads.pending[0]?.finish();
    await began;
    const [, b] = pool.models;
    if (b === undefined) throw new Error("no model b");
    const loading = pool.load(b, new AbortController().signal).catch(() => "failed");
    await settle();
    expect(loads.limits.get("a")).toBe(7);
    plan();
    await settle();
    expect([loads.pending[0]?.alias, loads.limits.get("a")]).toEqual(["b", 7]);
    loads.pending[0]?.fail(new Error("broken"));
    expect(await loading).toBe("failed");
    expect(loads.limits.get("a")).toBe(undefined);
  });

  test("count while they have background work", async () => {
    let endWork = () => {};
    const background = {
      inFlight: 1,
      idle: new Promise<void>((resolve) => {
        endWork = resolve;
      }),
    };
    const { loads, begin } = poolOnEightCores({ background });
    (await begin("a"))();
    await begin("b");
    expect(loads.limits.get("b")).toBe(4);
    background.inFlight = 0;
    endWork();
    await settle();
    expect(loads.limits.get("b")).toBe(undefined);
  });

  test("do not count if they compute on a GPU", async () => {
    const { loads, begin } = poolOnEightCores({ computesOn: "gpu" });
    await begin("a");
    await begin("b");
    expect([...loads.limits]).toEqual([]);
  });
});
