import { describe, expect, test } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import { copyIdentity } from "../../../src/engine/cache/prompt-identity.js";
import type { SlotFile } from "../../../src/engine/cache/slot-files.js";
import type { StepLoopOptions } from "../../../src/engine/step/step-loop-options.js";
import {
  mixedModel,
  SimulatedEngine,
  type SimulatedEngineOptions,
  type SimulatedGeneration,
  waitUntil,
} from "../simulated/simulated-engine.js";

/** In-memory files, like the files of the simulated context. */
function filesInMemory(): NonNullable<StepLoopOptions["slotFiles"]> {
  const saved = new Map<string, SlotFile>();
  return {
    async save(name, held, write) {
      const path = `/states/${name}`;
      const bytes = await write(path);
      saved.set(name, { path, prompt: copyIdentity(held), bytes });
      return bytes;
    },
    async find(name) {
      const file = saved.get(name);
      if (file === undefined) throw new GgufdError("not_found", "There is none.");
      return file;
    },
  };
}

const engineWith = (options: SimulatedEngineOptions = {}) =>
  new SimulatedEngine({
    slotFiles: filesInMemory(),
    next: (held) => mixedModel(held) % 26,
    maxStoredTokens: "none",
    ...options,
  });

const prompt = "thesamebeginningofall";
const usageOf = ({ finalEvent }: SimulatedGeneration) =>
  finalEvent?.type === "finished" ? finalEvent.usage : undefined;
const slotOf = ({ finalEvent }: SimulatedGeneration) =>
  finalEvent?.type === "finished" ? finalEvent.slot : undefined;

async function run(engine: SimulatedEngine, request: Parameters<SimulatedEngine["start"]>[0]) {
  const generation = engine.start(request);
  await engine.allEnded();
  return generation;
}

const layouts = [
  ["split", {}],
  ["unified", { cells: 200 }],
] as const;

describe.each(layouts)("a slot in the %s layout", (_, layout) => {
  test("is saved and restored into another slot, where the text continues", async () => {
    const engine = engineWith({ slots: 3, ...layout });
    const first = await run(engine, { prompt, slot: 1 });
    const held = prompt.length + 4;
    expect(engine.slots).toEqual([{ heldTokens: 0 }, { heldTokens: held }, { heldTokens: 0 }]);
    expect(await engine.command({ action: "save", slot: 1, name: "a" })).toMatchObject({
      tokens: held,
      bytes: held,
    });
    expect(await engine.command({ action: "erase", slot: 1 })).toMatchObject({
      tokens: held,
      bytes: 0,
    });
    expect(engine.slots[1]).toEqual({ heldTokens: 0 });
    await engine.command({ action: "restore", slot: 2, name: "a" });
    expect(engine.slots[2]).toEqual({ heldTokens: held });
    const again = await run(engine, { prompt, slot: 2 });
    expect(slotOf(again)).toBe(2);
    expect(usageOf(again)?.cachedTokens).toBe(prompt.length - 1);
    expect(again.text).toBe(first.text);
  });

  test("that is erased is evaluated again by the next request", async () => {
    const engine = engineWith({ slots: 1, ...layout });
    await run(engine, { prompt });
    await engine.command({ action: "erase", slot: 0 });
    expect(usageOf(await run(engine, { prompt }))?.cachedTokens).toBe(0);
  });

  test("is saved after its generation has ended and before the next one starts", async () => {
    const engine = engineWith({ slots: 1, ...layout });
    const first = engine.start({ prompt, maxTokens: 20 });
    const next = engine.start({ prompt: "somethingelse", maxTokens: 3 });
    await waitUntil(() => first.text.length > 3);
    expect(engine.slots).toMatchObject([{ generation: first.id }]);
    const { tokens } = await engine.command({ action: "save", slot: 0, name: "a" });
    expect(first.finalEvent?.type).toBe("finished");
    expect(next.events).toEqual([]);
    expect(tokens).toBe(prompt.length + 19);
    await engine.allEnded();
    expect(next.finalEvent?.type).toBe("finished");
  });

  test("is assigned to the request that selects it, with cells of other slots, unless it is busy", async () => {
    const engine = engineWith({ slots: 3, ...layout });
    await run(engine, { prompt });
    const moved = await run(engine, { prompt, slot: 2 });
    expect(slotOf(moved)).toBe(2);
    expect(usageOf(moved)?.cachedTokens).toBe(prompt.length - 1);
    const long = engine.start({ prompt: "xyz", maxTokens: 30, slot: 1 });
    const beside = engine.start({ prompt: "abc", maxTokens: 2, slot: 1 });
    await engine.allEnded();
    expect([slotOf(long), slotOf(beside)]).toEqual([1, 0]);
  });
});

describe("commands for slots", () => {
  test("are rejected if they are invalid", async () => {
    const engine = engineWith({ slots: 2 });
    await expect(engine.command({ action: "erase", slot: 2 })).rejects.toMatchObject({
      code: "invalid_request",
      param: "id",
      message: "id: expected a slot from 0 to 1, got 2.",
    });
    await expect(engine.command({ action: "save", slot: 0, name: "a" })).rejects.toMatchObject({
      code: "invalid_request",
      param: "id",
    });
    await expect(engine.command({ action: "restore", slot: 0, name: "a" })).rejects.toMatchObject({
      code: "not_found",
    });
    const without = new SimulatedEngine();
    await expect(without.command({ action: "erase", slot: 0 })).rejects.toMatchObject({
      code: "unsupported_operation",
    });
  });

  test("that are waiting fail when the engine closes", async () => {
    const engine = engineWith({ slots: 1 });
    const generation = engine.start({ prompt, maxTokens: 1000 });
    await waitUntil(() => generation.text.length > 3);
    const refused = expect(engine.command({ action: "erase", slot: 0 })).rejects.toMatchObject({
      code: "shutting_down",
    });
    await engine.close();
    await refused;
  });

  test("restore a state that does not fit alongside busy slots in a later attempt", async () => {
    const engine = engineWith({ slots: 2, cells: 64 });
    await run(engine, { prompt: "x".repeat(40), slot: 1 });
    await engine.command({ action: "save", slot: 1, name: "a" });
    const busy = engine.start({ prompt: "abc", maxTokens: 40, slot: 0 });
    await waitUntil(() => busy.text.length > 2);
    await expect(engine.command({ action: "restore", slot: 1, name: "a" })).rejects.toMatchObject({
      code: "server_overloaded",
    });
    await engine.allEnded();
    await engine.command({ action: "restore", slot: 1, name: "a" });
    expect(engine.slots.map(({ heldTokens }) => heldTokens)).toEqual([0, 44]);
  });

  test("leave the slot empty and usable if the saved state cannot be read", async () => {
    const engine = engineWith({
      slots: 1,
      onCall: ({ kind }) =>
        kind === "restore" ? Promise.reject(new Error("it is damaged")) : undefined,
    });
    const first = await run(engine, { prompt });
    await engine.command({ action: "save", slot: 0, name: "a" });
    await expect(engine.command({ action: "restore", slot: 0, name: "a" })).rejects.toMatchObject({
      code: "invalid_request",
      param: "filename",
    });
    expect(engine.slots).toEqual([{ heldTokens: 0 }]);
    expect((await run(engine, { prompt })).text).toBe(first.text);
  });
});
