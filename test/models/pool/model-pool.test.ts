import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ProcessEndedError, StartupError } from "../../../src/core/startup-error.js";
import { ModelPool } from "../../../src/models/pool/model-pool.js";
import type { ModelPoolOptions } from "../../../src/models/pool/model-pool-options.js";
import type { LoadableModel, PooledModel } from "../../../src/models/pool/pooled-model.js";
import { type ScriptedLoads, scriptedLoads } from "./loadables.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function poolOf(models: readonly LoadableModel[], options: Partial<ModelPoolOptions> = {}) {
  const failures: string[] = [];
  const pool = new ModelPool({
    cores: 2,
    models,
    budget: () => ({ cpuBytes: 2, gpuBytes: 0 }),
    maxWaiting: 100,
    waitingLimitMs: 0,
    onFailure: (alias) => failures.push(alias),
    now: () => Date.now(),
    ...options,
  });
  const model = (alias: string): PooledModel => {
    const found = pool.find(alias);
    if (found === undefined) throw new Error(`no model ${alias}`);
    return found;
  };
  return { pool, model, failures };
}

/** A request whose client can disconnect and whose answer can end. */
function request() {
  const leaving = new AbortController();
  const listeners: (() => void)[] = [];
  return {
    caller: {
      signal: leaving.signal,
      onEnd: (listener: () => void) => void listeners.push(listener),
    },
    leave: () => leaving.abort(new Error("left")),
    end: () => {
      for (const listener of listeners.splice(0)) listener();
    },
  };
}

/** Rejection reason of a promise. */
const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => Promise.reject(new Error("it was not rejected")),
    (error) => error,
  );

/** Runs all pending work without advancing the clock. */
const settle = () => vi.advanceTimersByTimeAsync(0);

const namesOf = (loads: ScriptedLoads) => loads.pending.map(({ alias }) => alias);

const stateOf = (model: PooledModel) => model.state.state;

describe("a model that is not loaded", () => {
  test("is loaded once for all waiting requests", async () => {
    const loads = scriptedLoads();
    const { pool, model } = poolOf([loads.loadable("a")]);
    const answers = [1, 2, 3].map(() => pool.use(model("a"), request().caller));
    await settle();
    expect(namesOf(loads)).toEqual(["a"]);
    expect(pool.inFlight).toBe(3);
    loads.pending[0]?.listener.onProgress(0.5);
    expect(model("a").state).toEqual({ state: "loading", progress: 0.5 });
    loads.pending[0]?.finish();
    const served = await Promise.all(answers);
    expect(served.map(({ alias }) => alias)).toEqual(["a", "a", "a"]);
    expect(model("a").state).toEqual({ state: "ready" });
    expect(pool.inFlight).toBe(0);
  });

  test("is loaded again if its process ends during loading", async () => {
    const loads = scriptedLoads();
    const retries: string[] = [];
    const { pool, model, failures } = poolOf([loads.loadable("a")], {
      mayRetry: (alias, error) => retries.push(`${alias}: ${error}`) > 0,
    });
    const killed = new ProcessEndedError("its process has ended: SIGKILL");
    const answer = pool.use(model("a"), request().caller);
    await settle();
    loads.pending[0]?.fail(killed);
    await settle();
    expect(retries).toEqual(["a: ProcessEndedError: its process has ended: SIGKILL"]);
    loads.pending[0]?.finish();
    expect((await answer).alias).toBe("a");
    expect(failures).toEqual([]);
  });

  test("fails the waiting requests if its process ends twice", async () => {
    const loads = scriptedLoads();
    const { pool, model, failures } = poolOf([loads.loadable("a")], { mayRetry: () => true });
    const refused = rejection(pool.use(model("a"), request().caller));
    for (let attempt = 0; attempt < 2; attempt++) {
      await settle();
      loads.pending[0]?.fail(new ProcessEndedError("its process has ended: SIGKILL"));
    }
    expect(await refused).toMatchObject({ code: "model_unavailable" });
    expect(loads.log).toEqual(["load a", "load a"]);
    expect(failures).toEqual(["a"]);
  });

  test("is not loaded again if retries are not allowed", async () => {
    const loads = scriptedLoads();
    const { pool, model } = poolOf([loads.loadable("a")], { mayRetry: () => false });
    const refused = rejection(pool.use(model("a"), request().caller));
    await settle();
    loads.pending[0]?.fail(new ProcessEndedError("its process has ended: SIGKILL"));
    expect(await refused).toMatchObject({ code: "model_unavailable" });
    expect(loads.log).toEqual(["load a"]);
  });

  test("reports the waiting time to each waiting request", async () => {
    const loads = scriptedLoads();
    const { pool, model } = poolOf([loads.loadable("a")]);
    const waits: string[] = [];
    const use = (name: string) =>
      pool.use(model("a"), {
        ...request().caller,
        onLoaded: (waitedMs) => waits.push(`${name} ${waitedMs}`),
      });
    const first = use("first");
    await vi.advanceTimersByTimeAsync(100);
    const second = use("second");
    await vi.advanceTimersByTimeAsync(30);
    loads.pending[0]?.finish();
    await Promise.all([first, second]);
    await use("third");
    expect(waits).toEqual(["first 130", "second 30"]);
  });

  test("is loaded after previously requested models", async () => {
    const loads = scriptedLoads();
    const { pool, model } = poolOf(["a", "b"].map((alias) => loads.loadable(alias)));
    const first = pool.use(model("b"), request().caller);
    const second = pool.use(model("a"), request().caller);
    await settle();
    expect(namesOf(loads)).toEqual(["b"]);
    loads.pending[0]?.finish();
    await first;
    await settle();
    expect(namesOf(loads)).toEqual(["a"]);
    loads.pending[0]?.finish();
    expect((await second).alias).toBe("a");
  });

  test("is not loaded after all waiting requests have been cancelled", async () => {
    const loads = scriptedLoads();
    const { pool, model } = poolOf(["a", "b", "c"].map((alias) => loads.loadable(alias)));
    const [leaving, other] = [request(), request()];
    const first = pool.use(model("a"), request().caller);
    const left = rejection(pool.use(model("b"), leaving.caller));
    const third = pool.use(model("c"), other.caller);
    await settle();
    leaving.leave();
    expect(await left).toMatchObject({ message: "left" });
    loads.pending[0]?.finish();
    await first;
    await settle();
    expect(namesOf(loads)).toEqual(["c"]);
    loads.pending[0]?.finish();
    await third;
    expect(loads.log).not.toContain("load b");
  });

  test("is not loaded completely if no request waits for it and another model is requested", async () => {
    const loads = scriptedLoads();
    const { pool, model } = poolOf(["a", "b"].map((alias) => loads.loadable(alias)));
    const leaving = request();
    const left = rejection(pool.use(model("a"), leaving.caller));
    const second = pool.use(model("b"), request().caller);
    await settle();
    leaving.leave();
    await left;
    await settle();
    expect(stateOf(model("a"))).toBe("absent");
    expect(namesOf(loads)).toEqual(["b"]);
    loads.pending[0]?.finish();
    expect((await second).alias).toBe("b");
  });

  test("is refused at once, with the numbers, if it can never fit", async () => {
    const loads = scriptedLoads("at-once");
    const { pool, model } = poolOf([loads.loadable("huge", { cpuBytes: 3 * 2 ** 30 })], {
      budget: () => ({ cpuBytes: 2 ** 30, gpuBytes: 0 }),
    });
    expect(await rejection(pool.use(model("huge"), request().caller))).toMatchObject({
      code: "invalid_request",
      param: "model",
      message: expect.stringMatching(
        /`huge`, which needs 3\.0 GiB of main memory; available: 1\.0 GiB/,
      ),
    });
    expect(loads.log).toEqual([]);
    expect(model("huge").failure).toMatchObject({ code: "invalid_request" });
    expect(model("huge").findRecentFailure(10_000)).toBeUndefined();
  });

  test("that cannot be loaded is reported as unavailable and is not retried at once", async () => {
    const loads = scriptedLoads();
    const { pool, model, failures } = poolOf([loads.loadable("a")]);
    const first = rejection(pool.use(model("a"), request().caller));
    await settle();
    loads.pending[0]?.fail(new StartupError("model a.gguf: truncated"));
    const expected = {
      code: "model_unavailable",
      message: "The model `a` cannot be loaded; see the server's log.",
      retryAfterSeconds: 10,
    };
    expect(await first).toMatchObject(expected);
    expect(await rejection(pool.use(model("a"), request().caller))).toMatchObject(expected);
    expect([failures, loads.log]).toEqual([["a"], ["load a"]]);
    expect(model("a").failure).toMatchObject(expected);
    await vi.advanceTimersByTimeAsync(10_000);
    const again = pool.use(model("a"), request().caller);
    await settle();
    loads.pending[0]?.finish();
    expect((await again).alias).toBe("a");
    expect(model("a").failure).toBeUndefined();
  });

  test("whose plan fails is reported as unavailable", async () => {
    const loads = scriptedLoads("at-once");
    const plan = () => Promise.reject(new StartupError("model a.gguf: no such file"));
    const { pool, model } = poolOf([loads.loadable("a", { plan })]);
    expect(await rejection(pool.use(model("a"), request().caller))).toMatchObject({
      code: "model_unavailable",
    });
  });

  test("is awaited only up to the time limit", async () => {
    const loads = scriptedLoads();
    const { pool, model } = poolOf([loads.loadable("a")], { waitingLimitMs: 3000 });
    const waiting = rejection(pool.use(model("a"), request().caller));
    await vi.advanceTimersByTimeAsync(3000);
    expect(await waiting).toMatchObject({ code: "queue_timeout", retryAfterSeconds: 5 });
  });

  test("has a limited number of waiting requests", async () => {
    const loads = scriptedLoads();
    const { pool, model } = poolOf([loads.loadable("a")], { maxWaiting: 1 });
    const first = pool.use(model("a"), request().caller);
    expect(await rejection(pool.use(model("a"), request().caller))).toMatchObject({
      code: "server_overloaded",
      retryAfterSeconds: 5,
    });
    await settle();
    loads.pending[0]?.finish();
    await first;
  });
});

describe("memory for a model", () => {
  test("is freed by unloading idle models", async () => {
    const loads = scriptedLoads("at-once");
    const { pool, model } = poolOf(["a", "b", "c"].map((alias) => loads.loadable(alias)));
    for (const alias of ["a", "b"]) {
      const { caller, end } = request();
      await pool.use(model(alias), caller);
      await vi.advanceTimersByTimeAsync(1);
      end();
    }
    expect((await pool.use(model("c"), request().caller)).alias).toBe("c");
    expect(loads.log.slice(-3)).toEqual(["close a", "load c", "loaded c"]);
    expect(model("a").state).toEqual({ state: "absent" });
  });

  test("is available once running requests have ended, and later requests queue up", async () => {
    const loads = scriptedLoads("at-once");
    const { pool, model } = poolOf(
      ["a", "b"].map((alias) => loads.loadable(alias, { cpuBytes: 2 })),
    );
    const running = request();
    await pool.use(model("a"), running.caller);
    const other = request();
    const second = pool.use(model("b"), other.caller);
    await settle();
    expect(stateOf(model("a"))).toBe("unloading");
    const late = pool.use(model("a"), request().caller);
    await settle();
    expect(loads.log).toEqual(["load a", "loaded a"]);
    running.end();
    expect((await second).alias).toBe("b");
    other.end();
    expect((await late).alias).toBe("a");
    expect(loads.log).toEqual([
      ...["load a", "loaded a", "close a", "load b", "loaded b"],
      ...["close b", "load a", "loaded a"],
    ]);
  });

  test("is not freed for a cancelled request: the model to be evicted stays loaded", async () => {
    const loads = scriptedLoads("at-once");
    const { pool, model } = poolOf(
      ["a", "b"].map((alias) => loads.loadable(alias, { cpuBytes: 2 })),
    );
    await pool.use(model("a"), request().caller);
    const leaving = request();
    const left = rejection(pool.use(model("b"), leaving.caller));
    await settle();
    const late = pool.use(model("a"), request().caller);
    await settle();
    leaving.leave();
    await left;
    expect((await late).alias).toBe("a");
    await settle();
    expect(stateOf(model("a"))).toBe("ready");
    expect(loads.log).toEqual(["load a", "loaded a"]);
  });

  test("is not freed by unloading pinned models", async () => {
    const loads = scriptedLoads("at-once");
    const { pool, model } = poolOf([
      loads.loadable("a", { cpuBytes: 1, isPinned: true }),
      loads.loadable("b", { cpuBytes: 2 }),
    ]);
    const { caller, end } = request();
    await pool.use(model("a"), caller);
    end();
    expect(await rejection(pool.use(model("b"), request().caller))).toMatchObject({
      code: "invalid_request",
    });
    expect(loads.held).toEqual(new Set(["a"]));
  });

  test("is limited to a number of models, and the least recently used one is unloaded", async () => {
    const loads = scriptedLoads("at-once");
    const { pool, model } = poolOf(
      ["a", "b", "c"].map((alias) => loads.loadable(alias, { cpuBytes: 0 })),
      { maxModels: 2 },
    );
    for (const alias of ["a", "b", "a", "c"]) {
      const { caller, end } = request();
      await pool.use(model(alias), caller);
      end();
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(loads.held).toEqual(new Set(["a", "c"]));
  });

  test("is loaded only on request of an operator if requests load none", async () => {
    const loads = scriptedLoads("at-once");
    const { pool, model } = poolOf([loads.loadable("a")], { loading: "explicit" });
    expect(await rejection(pool.use(model("a"), request().caller))).toMatchObject({
      code: "invalid_request",
      details: [
        {
          field: "model",
          reason:
            "expected a loaded model, because requests load none (--no-models-autoload), got `a`",
        },
      ],
    });
    expect(loads.held).toEqual(new Set());
    await pool.load(model("a"), new AbortController().signal);
    const { caller, end } = request();
    await pool.use(model("a"), caller);
    end();
  });

  test("is never loaded if the maximum number of models is pinned", async () => {
    const loads = scriptedLoads("at-once");
    const { pool, model } = poolOf([loads.loadable("a", { isPinned: true }), loads.loadable("b")], {
      maxModels: 1,
    });
    const { caller, end } = request();
    await pool.use(model("a"), caller);
    end();
    expect(await rejection(pool.use(model("b"), request().caller))).toMatchObject({
      code: "invalid_request",
      details: [
        {
          field: "model",
          reason:
            "expected a loaded model, because all 1 that may be loaded are pinned (--models-max), got `b`",
        },
      ],
    });
    expect(loads.held).toEqual(new Set(["a"]));
  });

  test("is not freed by unloading a model with background answers", async () => {
    const loads = scriptedLoads("at-once");
    let ended = () => {};
    const background = {
      inFlight: 1,
      idle: new Promise<void>((resolve) => {
        ended = resolve;
      }),
    };
    const { pool, model } = poolOf([
      loads.loadable("a", { cpuBytes: 2, background }),
      loads.loadable("b", { cpuBytes: 2 }),
    ]);
    const { caller, end } = request();
    await pool.use(model("a"), caller);
    end();
    const second = pool.use(model("b"), request().caller);
    await settle();
    expect(loads.held).toEqual(new Set(["a"]));
    background.inFlight = 0;
    ended();
    expect((await second).alias).toBe("b");
  });
});

test("a model that is never idle is awaited only once, for any number of ended requests", async () => {
  const loads = scriptedLoads("at-once");
  let waits = 0;
  let ended = () => {};
  const background = {
    inFlight: 1,
    idle: new Promise<void>((resolve) => {
      ended = resolve;
    }),
    onIdleAwaited: () => waits++,
  };
  const { pool, model } = poolOf([loads.loadable("a", { background })]);
  const useOnce = async () => {
    const { caller, end } = request();
    await pool.use(model("a"), caller);
    end();
  };
  for (let number = 0; number < 10; number++) await useOnce();
  expect(waits).toBe(1);
  ended();
  await settle();
  await useOnce();
  expect(waits).toBe(2);
});

test("a removed model uses memory until its requests have ended", async () => {
  const loads = scriptedLoads("at-once");
  const { pool, model } = poolOf([loads.loadable("a")]);
  const { caller, end } = request();
  await pool.use(model("a"), caller);
  const removed = pool.remove(model("a"));
  await settle();
  expect([pool.models, pool.heldMemory.cpuBytes]).toEqual([[], 1]);
  end();
  await removed;
  expect(pool.heldMemory.cpuBytes).toBe(0);
});

describe("an unused model", () => {
  test("is unloaded after its idle time", async () => {
    const loads = scriptedLoads("at-once");
    const { pool, model } = poolOf([loads.loadable("a", { idleLimitMs: 5000 })]);
    const { caller, end } = request();
    await pool.use(model("a"), caller);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(stateOf(model("a"))).toBe("ready");
    end();
    await vi.advanceTimersByTimeAsync(4999);
    expect(stateOf(model("a"))).toBe("ready");
    await vi.advanceTimersByTimeAsync(1);
    expect(stateOf(model("a"))).toBe("absent");
  });

  test.for([
    ["a timer that fires slightly early", 5000, 0.4],
    ["an idle time above the maximum of a timer", 30 * 24 * 3600 * 1000, 0],
  ] as const)("is unloaded after its idle time, even with %s", async ([, limitMs, earlyMs]) => {
    const loads = scriptedLoads("at-once");
    const { pool, model } = poolOf([loads.loadable("a", { idleLimitMs: limitMs })], {
      now: () => Date.now() * (1 - earlyMs / limitMs),
    });
    const beganMs = Date.now();
    const { caller, end } = request();
    await pool.use(model("a"), caller);
    end();
    const wholeMs = limitMs / (1 - earlyMs / limitMs);
    await vi.advanceTimersByTimeAsync(wholeMs - 10);
    expect(stateOf(model("a"))).toBe("ready");
    await vi.advanceTimersByTimeAsync(20);
    expect(stateOf(model("a"))).toBe("absent");
    expect(Date.now() - beganMs).toBeLessThan(limitMs + 20);
  });

  test("stays loaded for the time set by the last request", async () => {
    const loads = scriptedLoads("at-once");
    const { pool, model } = poolOf([loads.loadable("a", { idleLimitMs: 5000 })]);
    const { caller, end } = request();
    await pool.use(model("a"), caller);
    pool.keepAlive(model("a"), undefined);
    end();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(stateOf(model("a"))).toBe("ready");
    pool.keepAlive(model("a"), 0);
    await vi.advanceTimersByTimeAsync(0);
    expect(stateOf(model("a"))).toBe("absent");
  });

  test("is unloaded on request, after its requests, and loaded again by the next one", async () => {
    const loads = scriptedLoads("at-once");
    const { pool, model } = poolOf([loads.loadable("a")]);
    const { caller, end } = request();
    await pool.use(model("a"), caller);
    const unloaded = pool.unload(model("a"));
    await settle();
    expect(stateOf(model("a"))).toBe("unloading");
    const next = pool.use(model("a"), request().caller);
    end();
    await unloaded;
    expect((await next).alias).toBe("a");
    expect(loads.log).toEqual(["load a", "loaded a", "close a", "load a", "loaded a"]);
  });

  test("is loaded on request, and returned at once if it is already loaded", async () => {
    const loads = scriptedLoads("at-once");
    const { pool, model } = poolOf([loads.loadable("a")]);
    const { signal } = new AbortController();
    expect((await pool.load(model("a"), signal)).alias).toBe("a");
    expect((await pool.load(model("a"), signal)).alias).toBe("a");
    expect(loads.log).toEqual(["load a", "loaded a"]);
    expect(model("a").isBusy).toBe(false);
  });
});

test("an unload request cancels loading and rejects the waiting requests", async () => {
  const loads = scriptedLoads();
  const { pool, model } = poolOf([loads.loadable("a")]);
  const waiting = rejection(pool.use(model("a"), request().caller));
  await settle();
  await pool.unload(model("a"));
  expect(await waiting).toMatchObject({ code: "model_unavailable" });
  await settle();
  expect([stateOf(model("a")), loads.pending]).toEqual(["absent", []]);
});

test("shutdown rejects waiting requests, cancels loading and unloads loaded models", async () => {
  const loads = scriptedLoads();
  const { pool, model } = poolOf(["a", "b"].map((alias) => loads.loadable(alias)));
  const first = pool.use(model("a"), request().caller);
  await settle();
  loads.pending[0]?.finish();
  await first;
  const waiting = rejection(pool.use(model("b"), request().caller));
  await settle();
  pool.drain();
  expect(await waiting).toMatchObject({ code: "shutting_down" });
  expect(await rejection(pool.use(model("a"), request().caller))).toMatchObject({
    code: "shutting_down",
  });
  await pool.close();
  expect([loads.held.size, loads.pending.length]).toEqual([0, 0]);
});

test("a model whose process crashed queues requests and reports its state", async () => {
  const loads = scriptedLoads();
  const { pool, model } = poolOf([loads.loadable("a")]);
  const first = pool.use(model("a"), request().caller);
  await settle();
  const { listener } = loads.pending[0] ?? { listener: undefined };
  loads.pending[0]?.finish();
  await first;
  listener?.onCrash();
  expect([stateOf(model("a")), model("a").crashes]).toEqual(["lost", 1]);
  listener?.onRestored();
  expect(stateOf(model("a"))).toBe("ready");
});

test("memory is never exceeded and every request that is not cancelled is served, for any sequence of events", async () => {
  const step = fc.record({
    alias: fc.constantFrom("a", "b", "c", "d"),
    act: fc.constantFrom("stay", "leave", "unload"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const sizes = { a: 1, b: 1, c: 2, d: 2 } as const;
      const loads = scriptedLoads();
      const { pool, model } = poolOf(
        Object.entries(sizes).map(([alias, cpuBytes]) => loads.loadable(alias, { cpuBytes })),
      );
      const heldBytes = () =>
        [...loads.held].reduce((sum, alias) => sum + sizes[alias as keyof typeof sizes], 0);
      const work = async () => {
        await settle();
        expect(heldBytes()).toBeLessThanOrEqual(2);
        expect(loads.pending.length).toBeLessThanOrEqual(1);
      };
      const served: Promise<unknown>[] = [];
      for (const { alias, act } of steps) {
        const { caller, leave, end } = request();
        if (act === "unload") {
          void pool.unload(model(alias));
        } else if (act === "leave") {
          const left = pool.use(model(alias), caller).catch(() => undefined);
          await work();
          leave();
          void left.then(end);
        } else {
          // Retries a request whose model was unloaded.
          const ask = (): Promise<void> =>
            pool.use(model(alias), caller).then(end, (error) => {
              if (error.code !== "model_unavailable") throw error;
              return ask();
            });
          served.push(ask());
        }
        await work();
        if (loads.pending.length > 0 && steps.length % 2 === 0) loads.pending[0]?.finish();
        await work();
      }
      for (let round = 0; round < 60; round++) {
        loads.pending[0]?.finish();
        await work();
      }
      await Promise.all(served);
      await pool.close();
      expect(loads.held.size).toBe(0);
    }),
    { numRuns: 60 },
  );
});
