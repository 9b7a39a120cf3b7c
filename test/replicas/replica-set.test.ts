import { afterEach, describe, expect, it, vi } from "vitest";
import type { AdapterChange } from "../../src/core/adapters.js";
import type { EngineDescription } from "../../src/core/engine.js";
import { createRefusal } from "../../src/core/errors.js";
import { StartupError } from "../../src/core/startup-error.js";
import { type ReplicaListener, ReplicaSet } from "../../src/replicas/replica-set.js";
import { microtasksDone } from "../support/generation-events.js";
import { engineLost } from "../support/manual-engine.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { someAdapter } from "../support/some-adapter.js";
import { replicate } from "./replicate.js";

afterEach(() => {
  vi.useRealTimers();
});

describe("the start of replicas", () => {
  it("resolves when the first one is running; the others start afterwards", async () => {
    const opened: (() => void)[] = [];
    const starting = replicate({
      count: 3,
      slots: 2,
      onOpen: (index) => (index === 0 ? undefined : new Promise((resolve) => opened.push(resolve))),
    });
    const { engine, calls } = await starting;
    expect(opened).toHaveLength(2);
    expect(engine.replicas.map(({ state }) => state)).toEqual([
      "running",
      "restarting",
      "restarting",
    ]);
    expect([engine.description.slots, calls.at(-1)]).toEqual([2, 2]);
    for (const open of opened) open();
    await microtasksDone();
    expect([engine.description.slots, calls.at(-1)]).toEqual([6, 6]);
  });

  it("fails if the first one cannot be started", async () => {
    const opened: number[] = [];
    const starting = replicate({
      onOpen: (index) => {
        opened.push(index);
        throw new StartupError("no such file");
      },
    });
    await expect(starting).rejects.toThrow("no such file");
    expect(opened).toEqual([0]);
  });

  it("tries others again with backoff", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let attempts = 0;
    const { engine, log } = await replicate({
      onOpen: (index) => {
        if (index === 1 && ++attempts < 3) throw new StartupError("no memory");
      },
    });
    expect(log).toHaveBeenCalledWith("error", "replica 1 cannot be started: no memory");
    await vi.advanceTimersByTimeAsync(1000);
    expect([attempts, engine.replicas[1]?.state]).toEqual([2, "restarting"]);
    await vi.advanceTimersByTimeAsync(1999);
    expect(attempts).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect([attempts, engine.replicas[1]?.state]).toEqual([3, "running"]);
  });

  it("is aborted when the model is unloaded", async () => {
    let signal: AbortSignal | undefined;
    const { engine } = await replicate({
      onOpen: (index, startSignal) => {
        if (index === 0) return;
        signal = startSignal;
        return new Promise((_, reject) => {
          startSignal.addEventListener("abort", () => reject(new Error("aborted")));
        });
      },
    });
    await engine.close();
    expect(signal?.aborted).toBe(true);
  });

  it("closes a replica that has started although the model is unloaded", async () => {
    let open = () => {};
    const { engine, engines } = await replicate({
      onOpen: (index) =>
        index === 0
          ? undefined
          : new Promise((resolve) => {
              open = resolve;
            }),
    });
    const closing = engine.close();
    open();
    await closing;
    expect(engines[1]).toBeDefined();
    expect(engine.replicas[1]?.state).toBe("restarting");
  });
});

/** Replicas over scripted engines, with a listener for the changes of their adapters. */
async function adaptable(onAdapt: (index: number, change: AdapterChange) => void = () => {}) {
  const engines: ScriptedEngine[] = [];
  const listeners: ReplicaListener[] = [];
  const log = vi.fn();
  const set = new ReplicaSet<EngineDescription>(
    {
      placements: [{}, {}, {}],
      savedBytes: 0,
      sumMemory: ({ memory }) => memory,
      computeRetryDelayMs: () => 1000,
      log,
      open: async ({ index }, listener) => {
        const adapters = [someAdapter("first", { memory: { cpuBytes: 1, gpuBytes: 0 } })];
        const engine = new ScriptedEngine(() => ({ parts: [] }), {
          adapters,
          onAdapt: (change) => onAdapt(index, change),
        });
        engines[index] = engine;
        listeners[index] = listener;
        return engine;
      },
    },
    { onCrash: vi.fn(), onRestored: vi.fn(), onRestartFailed: vi.fn(), onChange: vi.fn() },
  );
  await set.start();
  await microtasksDone();
  return {
    set,
    log,
    listeners,
    namesOf: () => engines.map(({ adapters }) => adapters.map(({ name }) => name)),
    namesKnown: () => set.all.map(({ adapters }) => adapters.map(({ name }) => name)),
  };
}

const loadOf = (name: string) => ({ type: "load", adapter: someAdapter(name) }) as const;
const unloadOf = (name: string) => ({ type: "unload", name }) as const;
const refuse = () => {
  throw createRefusal("invalid_request", [{ field: "lora_path", reason: "expected a file" }]);
};

describe("the adapters of replicas", () => {
  it("are loaded and unloaded in all of them", async () => {
    const { set, namesOf } = await adaptable();
    const adapters = await set.adapt(loadOf("poet"));
    expect(adapters.map(({ name, memory }) => [name, memory.cpuBytes])).toEqual([
      ["first", 3],
      ["poet", 0],
    ]);
    expect(namesOf()).toEqual(Array.from({ length: 3 }, () => ["first", "poet"]));
    await set.adapt(unloadOf("first"));
    expect(namesOf()).toEqual(Array.from({ length: 3 }, () => ["poet"]));
  });

  it("stay the same in all of them if one refuses a change", async () => {
    const { set, namesOf, namesKnown } = await adaptable((index, change) => {
      if (index === 1 && change.type === "load" && change.adapter.name === "poet") refuse();
    });
    await expect(set.adapt(loadOf("poet"))).rejects.toMatchObject({ code: "invalid_request" });
    expect(namesOf()).toEqual([["first"], ["first"], ["first"]]);
    expect(namesKnown()).toEqual(namesOf());
  });

  it("are changed although a replica crashes meanwhile, which gets them when it is back", async () => {
    let isCrashing = true;
    const { set, listeners, namesKnown, namesOf } = await adaptable((index) => {
      if (index === 1 && isCrashing) throw engineLost();
    });
    await set.adapt(loadOf("poet"));
    listeners[1]?.onCrash();
    expect(namesKnown()[1]).toEqual(["first"]);
    isCrashing = false;
    listeners[1]?.onRestored();
    await microtasksDone();
    expect(namesKnown()).toEqual(namesOf());
    expect(namesKnown()[1]).toEqual(["first", "poet"]);
  });

  it("are reported if a replica cannot load one that the others have", async () => {
    let isRefusing = false;
    const { set, listeners, log, namesKnown } = await adaptable((index) => {
      if (index === 2 && isRefusing) refuse();
    });
    await set.adapt(loadOf("poet"));
    isRefusing = true;
    listeners[2]?.onCrash();
    Object.assign(set.all[2]?.engine ?? {}, { adapters: [] });
    listeners[2]?.onRestored();
    await microtasksDone();
    expect(namesKnown()[2]).toEqual(["first"]);
    expect(set.running).toHaveLength(3);
    expect(log).toHaveBeenCalledWith("error", expect.stringContaining("adapters of replica 2"));
  });

  it("cannot be changed while no replica is running", async () => {
    const { set, listeners } = await adaptable();
    for (const { onCrash } of listeners) onCrash();
    await expect(set.adapt(loadOf("poet"))).rejects.toMatchObject({ code: "model_unavailable" });
  });
});
