import { afterEach, describe, expect, it, vi } from "vitest";
import { delta, finished, microtasksDone } from "../support/generation-events.js";
import { engineLost } from "../support/manual-engine.js";
import { ask, replicate } from "./replicate.js";

afterEach(() => {
  vi.useRealTimers();
});

const text = (word: string) => word.repeat(600 / word.length);

describe("the place of a generation", () => {
  it("is the emptiest replica if nothing is cached", async () => {
    const { run, placeOf } = await replicate({ count: 3, slots: 2 });
    const places = [];
    for (const word of ["a", "b", "c", "d", "e", "f"]) {
      await run(ask(word, text(word)));
      places.push(placeOf(word));
    }
    expect(places.toSorted()).toEqual([0, 0, 1, 1, 2, 2]);
    expect(places.slice(0, 3).toSorted()).toEqual([0, 1, 2]);
  });

  it("is the replica that has the beginning of the prompt", async () => {
    const { run, placeOf, emit, engine } = await replicate({ count: 4 });
    for (const word of ["a", "b", "c"]) {
      await run(ask(word, text(word)));
      const place = placeOf(word);
      emit(word);
      engine.release(word);
      await run(ask(`${word}2`, `${text(word)} and more`));
      expect(placeOf(`${word}2`)).toBe(place);
      emit(`${word}2`);
      engine.release(`${word}2`);
    }
  });

  it("is the replica whose answer the prompt repeats", async () => {
    const { run, placeOf, emit, engine } = await replicate({ count: 4 });
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: text("answer ") },
      { role: "user", content: "And?" },
    ] as const;
    await run(ask("a", "Hi"));
    const place = placeOf("a");
    emit("a", delta(text("answer ")));
    emit("a");
    engine.release("a");
    for (const id of ["x", "y", "z"]) {
      await run(ask(id, text(id)));
      emit(id);
      engine.release(id);
    }
    const again = ask("b", "");
    if (again.prompt.type !== "chat") throw new Error("expected a conversation");
    await run({ ...again, prompt: { ...again.prompt, messages } });
    expect(placeOf("b")).toBe(place);
  });

  it("is another replica if the one with the prefix is full", async () => {
    const { run, placeOf } = await replicate({ count: 2, slots: 1 });
    await run(ask("a", text("a")));
    await run(ask("b", text("a")));
    expect([placeOf("a"), placeOf("b")].toSorted()).toEqual([0, 1]);
  });

  it("is the replica of the requested slot, under its own number", async () => {
    const { run, placeOf, engineOf } = await replicate({ count: 3, slots: 2 });
    const prepare = vi.spyOn(engineOf(2), "prepare");
    await run({ ...ask("a", "Hi"), slot: 5 });
    expect(placeOf("a")).toBe(2);
    expect(prepare).toHaveBeenCalledWith(expect.objectContaining({ id: "a", slot: 1 }));
  });

  it("is never a replica whose context is too small", async () => {
    const { engine, engines, begin, placeOf, crash, restore } = await replicate({ count: 2 });
    await engine.prepare(ask("a", text("a")));
    const holder = engines.findIndex(({ held }) => held.includes("a"));
    await crash(1 - holder);
    await restore(1 - holder, { contextSize: 500 });
    begin("a");
    await microtasksDone();
    expect(placeOf("a")).toBe(holder);
    await crash(holder);
    await restore(holder, { contextSize: 601 });
    begin("a");
    await microtasksDone();
    expect(placeOf("a")).toBe(holder);
  });
});

describe("a request that another replica has prepared", () => {
  it("is prepared again where it runs, and dropped where it does not", async () => {
    const { engine, engines, begin, run, placeOf } = await replicate({ count: 2, slots: 1 });
    await engine.prepare(ask("a", "a"));
    const [holder = 0] = engines.flatMap(({ held }, index) => (held.includes("a") ? [index] : []));
    await run({ ...ask("b", "b"), slot: holder });
    begin("a");
    await microtasksDone();
    expect(placeOf("a")).toBe(1 - holder);
    expect(engines.map(({ held }) => held.includes("a"))).toEqual(
      engines.map((_, index) => index !== holder),
    );
  });

  it("fails if it does not fit there", async () => {
    const { engine, begin, crash, restore, eventsOf } = await replicate({ count: 2 });
    await engine.prepare(ask("a", text("a")));
    await crash(0);
    await crash(1);
    await restore(0, { contextSize: 500 });
    begin("a");
    await microtasksDone();
    expect(eventsOf("a")).toMatchObject([
      { type: "failed", error: { code: "context_length_exceeded" } },
    ]);
  });

  it("is held until its last generation has started", async () => {
    const prepared: (() => void)[] = [];
    const { engine, engineOf, begin, emit, placeOf } = await replicate({
      count: 1,
      onPrepare: () => new Promise((resolve) => prepared.push(() => resolve())),
    });
    const preparing = engine.prepare(ask("a", "a"));
    begin("a");
    engine.release("a");
    for (const resolve of prepared) resolve();
    await preparing;
    await microtasksDone();
    expect(placeOf("a")).toBe(0);
    emit("a");
    expect(engineOf(0).held).toEqual([]);
  });
});

describe("a release", () => {
  it("leaves no copy in any replica", async () => {
    const { engine, engines, run, emit } = await replicate({ count: 2, slots: 1 });
    for (const id of ["a", "b", "c"]) await run({ ...ask(id, "x"), choices: 2 });
    for (const id of ["a", "b", "c"]) emit(id);
    for (const id of ["a", "b", "c"]) engine.release(id);
    expect(engines.flatMap(({ held }) => held)).toEqual([]);
  });

  it("during the preparation takes effect when that has ended", async () => {
    let prepared = () => {};
    const { engine, engines } = await replicate({
      onPrepare: () =>
        new Promise((resolve) => {
          prepared = resolve;
        }),
    });
    const preparing = engine.prepare(ask("a", "a"));
    engine.release("a");
    prepared();
    await preparing;
    await microtasksDone();
    expect(engines.flatMap(({ held }) => held)).toEqual([]);
  });
});

describe("a cancellation", () => {
  it("reaches the replica of the generation", async () => {
    const { engine, engineOf, run, placeOf, emit, typesOf } = await replicate();
    await run(ask("a", "a"));
    engine.cancel("a");
    expect(engineOf(placeOf("a")).cancelled).toEqual(["a"]);
    emit("a", { type: "cancelled" });
    expect(typesOf("a")).toEqual(["cancelled"]);
  });

  it("ends a generation that has not started, once and not before start has returned", async () => {
    const prepared: (() => void)[] = [];
    const { engine, engines, begin, typesOf } = await replicate({
      onPrepare: () => new Promise((resolve) => prepared.push(() => resolve())),
    });
    const preparing = engine.prepare(ask("a", "a"));
    begin("a");
    engine.cancel("a");
    engine.cancel("a");
    expect(typesOf("a")).toEqual([]);
    for (const resolve of prepared) resolve();
    await preparing;
    await microtasksDone();
    expect(typesOf("a")).toEqual(["cancelled"]);
    expect(engines.flatMap(({ started }) => started)).toEqual([]);
    engine.release("a");
    expect(engines.flatMap(({ held }) => held)).toEqual([]);
  });

  it("of an unknown generation is ignored", async () => {
    const { engine } = await replicate();
    engine.cancel("unknown");
    expect(await engine.endReasoning("unknown")).toBe(false);
  });
});

describe("a crash of a replica", () => {
  it("fails its generations, and only these", async () => {
    const { run, placeOf, crash, typesOf, eventsOf, calls } = await replicate({ slots: 1 });
    await run(ask("a", "a"));
    await run(ask("b", "b"));
    calls.length = 0;
    await crash(placeOf("a"));
    expect(eventsOf("a")).toMatchObject([{ type: "failed", error: { code: "model_unavailable" } }]);
    expect(typesOf("b")).toEqual([]);
    expect(calls).toEqual(["crash of another", "crash", 1]);
  });

  it("makes its generations run elsewhere", async () => {
    const { run, begin, placeOf, crash, engine } = await replicate({ count: 2 });
    await run(ask("a", "a"));
    const crashed = placeOf("a");
    await crash(crashed);
    await engine.prepare(ask("a", "a"));
    begin("a");
    await microtasksDone();
    expect(placeOf("a")).toBe(1 - crashed);
  });

  it("fails a generation that is being prepared there", async () => {
    const failing: ((error: Error) => void)[] = [];
    const { engine, engineOf, begin, crash, eventsOf, calls } = await replicate({
      count: 2,
      onPrepare: () => new Promise((_, reject) => failing.push(reject)),
    });
    const failed = expect(engine.prepare(ask("a", "a"))).rejects.toMatchObject({
      code: "model_unavailable",
    });
    begin("a");
    const place = engineOf(0).prepared.includes("a") ? 0 : 1;
    for (const reject of failing) reject(engineLost());
    await crash(place);
    await failed;
    expect(eventsOf("a")).toMatchObject([{ type: "failed", error: { code: "model_unavailable" } }]);
    expect(calls).toContain("crash");
  });

  it("empties the estimate of its cache", async () => {
    const { run, placeOf, emit, engine, crash, restore } = await replicate({ count: 2 });
    await run(ask("a", text("a")));
    const crashed = placeOf("a");
    emit("a");
    engine.release("a");
    await crash(crashed);
    await restore(crashed);
    await run(ask("b", text("a")));
    expect(placeOf("b")).toBe(1 - crashed);
  });

  it("is reported to the owner if it was the last one running, and so is the next start", async () => {
    const { engine, crash, restore, calls } = await replicate({ count: 2, slots: 3 });
    calls.length = 0;
    await crash(0);
    await crash(1);
    expect(calls).toEqual(["crash of another", "crash", 3, "crash of the last"]);
    await expect(engine.prepare(ask("a", "a"))).rejects.toMatchObject({
      code: "model_unavailable",
    });
    engine.release("a");
    await expect(engine.slots()).rejects.toMatchObject({ code: "model_unavailable" });
    calls.length = 0;
    await restore(1);
    await restore(0);
    expect(calls).toEqual(["restored", 3, 6]);
  });

  it("whose restart fails is reported to the owner only while no other is running", async () => {
    const { crash, failToRestart, restore, calls } = await replicate({ count: 2 });
    await crash(0);
    failToRestart(0);
    expect(calls).not.toContain("no restart");
    await crash(1);
    failToRestart(0);
    expect(calls).toContain("no restart");
    await restore(1);
    calls.length = 0;
    failToRestart(0);
    expect(calls).toEqual([]);
  });
});

describe("the number of generations that the queue may start", () => {
  it("is the number of slots of the running replicas", async () => {
    const { engine, calls, crash, restore } = await replicate({ count: 3, slots: 2 });
    expect(calls.at(-1)).toBe(6);
    expect(engine.description.slots).toBe(6);
    await crash(1);
    expect(calls.at(-1)).toBe(4);
    expect(engine.description.slots).toBe(4);
    await restore(1, { slots: 4 });
    expect(calls.at(-1)).toBe(8);
  });

  it("includes generations that wait in a full replica, which block no other slots", async () => {
    const { run, calls, placeOf, emit } = await replicate({ count: 2, slots: 1 });
    await run({ ...ask("a", "a"), slot: 0 });
    await run({ ...ask("b", "b"), slot: 0 });
    expect([placeOf("a"), placeOf("b"), calls.at(-1)]).toEqual([0, 0, 3]);
    await run(ask("c", "c"));
    expect([placeOf("c"), calls.at(-1)]).toEqual([1, 3]);
    emit("a");
    await microtasksDone();
    expect(calls.at(-1)).toBe(2);
  });
});

describe("the slots of all replicas", () => {
  it("have consecutive numbers, whether their replicas run or not", async () => {
    const { engine, run, crash } = await replicate({ count: 3, slots: 2 });
    await run({ ...ask("a", "a"), slot: 4 });
    await crash(1);
    expect(await engine.slots()).toEqual([
      { heldTokens: 0, replica: 0 },
      { heldTokens: 0, replica: 0 },
      { heldTokens: 0, replica: 1 },
      { heldTokens: 0, replica: 1 },
      { heldTokens: 1, generation: "a", replica: 2 },
      { heldTokens: 0, replica: 2 },
    ]);
  });

  it("have these numbers in answers", async () => {
    const { run, emit, eventsOf } = await replicate({ count: 2, slots: 2 });
    await run({ ...ask("a", "a"), slot: 3 });
    emit("a", { ...finished, type: "finished", slot: 1 } as typeof finished);
    expect(eventsOf("a")).toMatchObject([{ type: "finished", slot: 3 }]);
  });

  it("are commanded by these numbers", async () => {
    const { engine, engineOf, crash } = await replicate({ count: 2, slots: 2 });
    const outcome = { tokens: 1, bytes: 2, elapsedMs: 3 };
    const command = vi.fn(async () => outcome);
    Object.assign(engineOf(1), { command });
    expect(await engine.command({ action: "save", slot: 3, name: "x" })).toEqual(outcome);
    expect(command).toHaveBeenCalledWith({ action: "save", slot: 1, name: "x" });
    await expect(engine.command({ action: "erase", slot: 4 })).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("expected a slot from 0 to 3, got 4"),
    });
    await crash(1);
    await expect(engine.command({ action: "erase", slot: 3 })).rejects.toMatchObject({
      code: "model_unavailable",
    });
  });
});

describe("the state of the replicas", () => {
  it("has the load and the place of each", async () => {
    const { engine, run, crash } = await replicate({ count: 2, slots: 3 });
    await run({ ...ask("a", "a"), slot: 0 });
    await crash(1);
    expect(engine.replicas).toMatchObject([
      { index: 0, state: "running", placement: { cores: [0] }, slots: 3, generations: 1 },
      { index: 1, state: "restarting", placement: { cores: [1] }, slots: 3, generations: 0 },
    ]);
  });

  it("is summed in one description", async () => {
    const { engine } = await replicate({ count: 2, slots: 3 });
    expect(engine.description).toMatchObject({
      slots: 6,
      device: "CPU",
      kvCache: { bytes: 2_000_000 },
      memory: { cpuBytes: 1000, gpuBytes: 10 },
    });
  });
});

it("divides a thread limit among the running replicas", async () => {
  const { engine, engines, crash } = await replicate({ count: 3 });
  const limits = engines.map((one) => vi.spyOn(one, "limitThreads"));
  const latest = () => limits.map(({ mock }) => mock.lastCall?.[0 as never]);
  engine.limitThreads(7);
  expect(latest()).toEqual([2, 2, 2]);
  await crash(2);
  expect(latest().slice(0, 2)).toEqual([3, 3]);
  engine.limitThreads(1);
  expect(latest().slice(0, 2)).toEqual([1, 1]);
  engine.limitThreads(undefined);
  expect(latest().slice(0, 2)).toEqual([undefined, undefined]);
});

it("asks a running replica", async () => {
  const { engine, engineOf, crash } = await replicate({ count: 2 });
  await crash(0);
  const answer = { type: "text", text: "a" } as const;
  Object.assign(engineOf(1), { ask: async () => answer });
  expect(await engine.ask({ type: "detokenize", tokens: [] } as never)).toEqual(answer);
  await crash(1);
  await expect(engine.ask({ type: "detokenize", tokens: [] } as never)).rejects.toMatchObject({
    code: "model_unavailable",
  });
});
