import { describe, expect, it, onTestFinished } from "vitest";
import type { Generation } from "../../src/core/model-directory.js";
import { GenerationScheduler } from "../../src/queue/generation-scheduler.js";
import type { ReplicaListener } from "../../src/replicas/replica-set.js";
import { ReplicatedEngine } from "../../src/replicas/replicated-engine.js";
import { someCaller } from "../support/callers.js";
import { collect, delta, finished, microtasksDone } from "../support/generation-events.js";
import { ManualEngine } from "../support/manual-engine.js";
import { ask } from "./replicate.js";

/** The queue in front of replicas, connected as for a served model. */
async function serve({ count = 2, slots = 1 }: { count?: number; slots?: number } = {}) {
  const engines: ManualEngine[] = [];
  const listeners: ReplicaListener[] = [];
  const refused: string[] = [];
  let scheduler: GenerationScheduler | undefined;
  const engine = await ReplicatedEngine.start({
    placements: Array.from({ length: count }, () => ({})),
    savedBytes: 0,
    sumMemory: ({ memory }) => memory,
    computeRetryDelayMs: () => 1000,
    log: () => undefined,
    open: async ({ index }, listener) => {
      listeners[index] = listener;
      const one = new ManualEngine({ slots });
      one.allowExcess();
      engines[index] = one;
      return one;
    },
    onCrash: () => scheduler?.suspend(),
    onReplicaCrash: () => undefined,
    onRestored: () => scheduler?.resume(engine.description),
    onRestartFailed: () => undefined,
  });
  onTestFinished(() => engine.close());
  scheduler = new GenerationScheduler(engine, {
    model: "scripted",
    limits: { requests: 100, promptTokens: 10_000 },
    queueTimeoutMs: 0,
    drawSeed: () => 1,
    onRefused: (given) => refused.push((given as { id: string }).id),
  });
  engine.follow(scheduler);
  await microtasksDone();
  const queue = scheduler;
  const placeOf = (id: string) => engines.findIndex(({ running }) => running.includes(id));
  return {
    engine,
    engines,
    scheduler: queue,
    refused,
    placeOf,
    async submit(id: string, caller: Parameters<typeof someCaller>[0] = {}): Promise<Generation> {
      const generation = await queue.submit([ask(id, id.padEnd(200, id))], someCaller(caller));
      await microtasksDone();
      return generation;
    },
    async emit(id: string, ...given: [Parameters<ManualEngine["emit"]>[1]?, number[]?]) {
      engines[placeOf(id)]?.emit(id, ...given);
      await microtasksDone();
    },
    async crash(index: number): Promise<void> {
      engines[index]?.lose();
      listeners[index]?.onCrash();
      await microtasksDone();
    },
    async restore(index: number): Promise<void> {
      engines[index]?.restore();
      listeners[index]?.onRestored();
      await microtasksDone();
    },
  };
}

const typesOf = async ({ events }: Generation) => (await collect(events)).map(({ type }) => type);

describe("the queue in front of replicas", () => {
  it("starts a generation for each slot of all of them", async () => {
    const { submit, engines } = await serve({ count: 3, slots: 2 });
    for (let index = 0; index < 7; index++) await submit(`${index}`);
    expect(engines.map(({ running }) => running.length)).toEqual([2, 2, 2]);
  });

  it("resumes an answer in another replica at once, with its tokens", async () => {
    const { submit, emit, placeOf, crash, engines } = await serve();
    const { events } = await submit("a", { decideAfterInterruption: () => "resumed" });
    const crashed = placeOf("a");
    await emit("a", delta("one "), [1, 2]);
    await crash(crashed);
    expect(placeOf("a")).toBe(1 - crashed);
    expect(engines[1 - crashed]?.latest("a").resumedTokens).toEqual([1, 2]);
    await emit("a", delta("one "), [1, 2]);
    await emit("a", delta("two"), [3]);
    await emit("a");
    expect(await collect(events)).toEqual([delta("one "), delta("two"), finished]);
  });

  it("ends an answer whose client does not want it resumed", async () => {
    const pauses: string[] = [];
    const { submit, emit, placeOf, crash } = await serve();
    const generation = await submit("a", {
      decideAfterInterruption: (pause) => {
        pauses.push(pause);
        return "ended";
      },
    });
    await emit("a", delta("x"), [1]);
    await crash(placeOf("a"));
    expect(await typesOf(generation)).toEqual(["text-delta", "failed"]);
    expect(pauses).toEqual(["none"]);
  });

  it("has waiting requests start with fewer slots while a replica is down", async () => {
    const { submit, emit, crash, restore, placeOf, engines } = await serve();
    const answers = [];
    for (const id of ["a", "b", "c", "d"]) answers.push(await submit(id));
    const crashed = placeOf("a");
    await crash(crashed);
    // The generation of the crashed replica has kept its slot in the queue.
    expect(engines[1 - crashed]?.running).toEqual(["b", "a"]);
    await emit("b");
    expect(engines[1 - crashed]?.running).toEqual(["a"]);
    await restore(crashed);
    expect(placeOf("c")).toBe(crashed);
    for (const id of ["a", "c", "d"]) await emit(id);
    for (const answer of answers) expect(await typesOf(answer)).toEqual(["finished"]);
  });

  it("waits while no replica is running, and continues with the first one", async () => {
    const { submit, emit, crash, restore, placeOf, engine } = await serve();
    const answers = [await submit("a"), await submit("b")];
    await crash(0);
    await crash(1);
    const late = submit("c");
    await microtasksDone();
    expect([placeOf("a"), placeOf("b"), placeOf("c")]).toEqual([-1, -1, -1]);
    await restore(1);
    await restore(0);
    for (const id of ["a", "b"]) await emit(id);
    answers.push(await late);
    await emit("c");
    for (const answer of answers) expect(await typesOf(answer)).toEqual(["finished"]);
    expect(engine.replicas.map(({ generations }) => generations)).toEqual([0, 0]);
  });

  it("refuses a request that crashes three replicas in a row, and answers all others", async () => {
    const { submit, emit, crash, restore, placeOf, refused } = await serve({ count: 3, slots: 2 });
    const culprit = await submit("culprit");
    const others = ["a", "b", "c", "d"];
    const answers = [];
    for (const id of others) answers.push(await submit(id));
    const crashAround = async () => {
      const crashed = placeOf("culprit");
      await crash(crashed);
      await restore(crashed);
    };
    await crashAround();
    await crashAround();
    for (const id of others.filter((other) => placeOf(other) !== -1)) await emit(id);
    await crashAround();
    expect(await typesOf(culprit)).toEqual(["failed"]);
    expect(refused).toEqual(["culprit"]);
    for (const id of others.filter((other) => placeOf(other) !== -1)) await emit(id);
    for (const answer of answers) expect(await typesOf(answer)).toEqual(["finished"]);
  });

  it("leaves nothing behind", async () => {
    const { submit, emit, engines, scheduler, crash, restore } = await serve({ count: 3 });
    const answers = [];
    for (const id of ["a", "b", "c", "d"]) answers.push(await submit(id));
    await crash(1);
    await restore(1);
    for (const id of ["a", "b", "c", "d"]) await emit(id);
    for (const answer of answers) expect(await typesOf(answer)).toEqual(["finished"]);
    await scheduler.whenIdle();
    expect(engines.flatMap(({ held, running }) => [...held, ...running])).toEqual([]);
  });
});
