import { afterEach, describe, expect, it, vi } from "vitest";
import { microtasksDone } from "../support/generation-events.js";
import { ask, replicate } from "./replicate.js";

afterEach(() => {
  vi.useRealTimers();
});

/** Replicas of which a request has crashed two in a row, all of which are running again. */
async function suspecting(given: Parameters<typeof replicate>[0] = {}) {
  const replicas = await replicate({ count: 3, slots: 2, ...given });
  const { engine, begin, placeOf, crash, restore } = replicas;
  await engine.prepare(ask("culprit", "culprit"));
  const restart = async (id = "culprit") => {
    await engine.prepare(ask(id, id));
    begin(id);
    await microtasksDone();
  };
  await restart();
  for (let crashes = 0; crashes < 2; crashes++) {
    const crashed = placeOf("culprit");
    await crash(crashed);
    if (crashes === 0) await restart();
    await restore(crashed);
  }
  return { ...replicas, restart };
}

describe("a request that has crashed two replicas in a row", () => {
  it("runs alone in a replica, which others avoid", async () => {
    const { restart, run, placeOf, emit } = await suspecting();
    await restart();
    const alone = placeOf("culprit");
    for (const id of ["a", "b", "c", "d", "e"]) {
      await run(ask(id, "culprit"));
      expect(placeOf(id)).not.toBe(alone);
    }
    emit("culprit");
    await run(ask("f", "culprit"));
    expect(placeOf("f")).toBe(alone);
  });

  it("waits until a replica has ended its generations", async () => {
    const { restart, run, placeOf, emit, engine } = await suspecting({ count: 2, slots: 1 });
    await run(ask("a", "a"));
    await run(ask("b", "b"));
    await restart();
    expect(placeOf("culprit")).toBe(-1);
    const place = placeOf("a");
    await run(ask("c", "c"));
    expect(placeOf("c")).toBe(placeOf("b"));
    emit("a");
    await microtasksDone();
    expect(placeOf("culprit")).toBe(place);
    engine.cancel("culprit");
    emit("culprit", { type: "cancelled" });
    await run(ask("d", "d"));
    expect(placeOf("d")).toBe(place);
  });

  it("can be cancelled while it waits", async () => {
    const { restart, run, typesOf, engine, engines, calls } = await suspecting({ count: 2 });
    await run({ ...ask("a", "a"), slot: 0 });
    await run({ ...ask("b", "b"), slot: 2 });
    await restart();
    engine.cancel("culprit");
    await microtasksDone();
    expect(typesOf("culprit")).toEqual(["cancelled"]);
    expect(calls.at(-1)).toBe(4);
    engine.release("culprit");
    expect(engines.flatMap(({ held }) => held)).not.toContain("culprit");
  });

  it("never runs in the only running replica while others start", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { restart, crash, restore, placeOf } = await suspecting({ count: 2 });
    await crash(0);
    await restart();
    expect(placeOf("culprit")).toBe(-1);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(placeOf("culprit")).toBe(-1);
    await restore(0);
    expect(placeOf("culprit")).not.toBe(-1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("runs in the only running replica if no second one starts within a minute", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { restart, crash, placeOf } = await suspecting({ count: 2 });
    await crash(0);
    await restart();
    await vi.advanceTimersByTimeAsync(60_000);
    await microtasksDone();
    expect(placeOf("culprit")).toBe(1);
  });

  it("alternates with other suspects", async () => {
    const { restart, begin, engine, placeOf, emit, crash, restore } = await replicate({
      count: 3,
      slots: 4,
    }).then((replicas) => ({ ...replicas, restart: replicas.begin }));
    for (const id of ["a", "b"]) await engine.prepare({ ...ask(id, id), slot: 0 });
    for (const crashed of [0, 0]) {
      for (const id of ["a", "b"]) {
        await engine.prepare({ ...ask(id, id), slot: 0 });
        begin(id);
      }
      await microtasksDone();
      await crash(crashed);
      await restore(crashed);
    }
    for (const id of ["a", "b"]) {
      await engine.prepare(ask(id, id));
      restart(id);
    }
    await microtasksDone();
    const alone = placeOf("a");
    expect(placeOf("b")).toBe(-1);
    emit("a");
    await microtasksDone();
    expect(placeOf("b")).toBe(alone);
  });

  it("is no longer suspected after an answer", async () => {
    const { restart, run, placeOf, emit } = await suspecting({ count: 2, slots: 1 });
    await restart();
    emit("culprit");
    await run(ask("a", "a"));
    await run(ask("b", "b"));
    await restart();
    expect(placeOf("culprit")).not.toBe(-1);
  });
});
