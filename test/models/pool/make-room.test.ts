import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addMemory, fitsIn, type MemoryUse, subtractMemory } from "../../../src/core/memory-use.js";
import {
  makeRoom,
  type ResidentModel,
  type RoomDecision,
} from "../../../src/models/pool/make-room.js";

const cpu = (cpuBytes: number): MemoryUse => ({ cpuBytes, gpuBytes: 0 });
const gpu = (gpuBytes: number): MemoryUse => ({ cpuBytes: 0, gpuBytes });

const held = (
  alias: string,
  memory: MemoryUse,
  lastUsedMs: number,
  use: ResidentModel["use"] = "idle",
): ResidentModel => ({ alias, memory, lastUsedMs, use });

const budget = { cpuBytes: 10, gpuBytes: 10 };

describe("eviction to load a model", () => {
  test.each<[string, MemoryUse, readonly ResidentModel[], RoomDecision]>([
    ["evicts no model if the memory is empty", cpu(10), [], { type: "there-is-room" }],
    [
      "evicts no model if the new model fits",
      cpu(4),
      [held("a", cpu(6), 1)],
      { type: "there-is-room" },
    ],
    [
      "evicts the least recently used idle model",
      cpu(4),
      [held("a", cpu(4), 2), held("b", cpu(4), 1)],
      { type: "unload", aliases: ["b"] },
    ],
    [
      "evicts as many models as needed",
      cpu(9),
      [held("a", cpu(4), 2), held("b", cpu(4), 1)],
      { type: "unload", aliases: ["b", "a"] },
    ],
    [
      "evicts an idle model before a less recently used busy model",
      cpu(4),
      [held("a", cpu(5), 1, "busy"), held("b", cpu(5), 2)],
      { type: "unload", aliases: ["b"] },
    ],
    [
      "waits for busy models before evicting idle ones",
      cpu(9),
      [held("a", cpu(5), 1, "busy"), held("b", cpu(5), 2)],
      { type: "drain", aliases: ["a"] },
    ],
    [
      "evicts no model whose memory is not needed",
      cpu(8),
      [held("a", cpu(1), 1), held("b", cpu(9), 2)],
      { type: "unload", aliases: ["b"] },
    ],
    [
      "evicts no model that uses another kind of memory",
      gpu(8),
      [held("a", cpu(9), 1), held("b", gpu(9), 2)],
      { type: "unload", aliases: ["b"] },
    ],
    [
      "evicts no pinned model",
      cpu(4),
      [held("a", cpu(5), 1, "kept"), held("b", cpu(5), 2)],
      { type: "unload", aliases: ["b"] },
    ],
    [
      "reports that the model can never fit alongside the pinned models",
      cpu(6),
      [held("a", cpu(5), 1, "kept"), held("b", cpu(5), 2, "busy")],
      { type: "never", available: { cpuBytes: 5, gpuBytes: 10 } },
    ],
    [
      "reports that the model exceeds the whole memory",
      cpu(11),
      [],
      { type: "never", available: { cpuBytes: 10, gpuBytes: 10 } },
    ],
  ])("%s", (_title, neededMemory, models, room) => {
    expect(makeRoom({ neededMemory, budget, maxModels: 0, residents: models })).toEqual(room);
  });

  test.each<[string, number, readonly ResidentModel[], RoomDecision]>([
    ["evicts no model without a limit", 0, [held("a", cpu(1), 1)], { type: "there-is-room" }],
    ["evicts no model below the limit", 2, [held("a", cpu(1), 1)], { type: "there-is-room" }],
    [
      "evicts the least recently used idle model at the limit",
      2,
      [held("a", cpu(1), 2), held("b", cpu(1), 1)],
      { type: "unload", aliases: ["b"] },
    ],
    [
      "evicts as many models as exceed the limit",
      1,
      [held("a", cpu(1), 2), held("b", cpu(1), 1)],
      { type: "unload", aliases: ["b", "a"] },
    ],
    [
      "counts a pinned model, and evicts another one",
      2,
      [held("a", cpu(1), 1, "kept"), held("b", cpu(1), 2)],
      { type: "unload", aliases: ["b"] },
    ],
    [
      "evicts an idle model before a less recently used busy model",
      2,
      [held("a", cpu(1), 1, "busy"), held("b", cpu(1), 2)],
      { type: "unload", aliases: ["b"] },
    ],
    [
      "waits for a busy model if there is no idle one",
      1,
      [held("a", cpu(1), 1, "busy")],
      { type: "drain", aliases: ["a"] },
    ],
    [
      "evicts one model both for its memory and for its place",
      2,
      [held("a", cpu(1), 1), held("b", cpu(9), 2)],
      { type: "unload", aliases: ["b"] },
    ],
    [
      "reports that all models that may be loaded are pinned",
      1,
      [held("a", cpu(1), 1, "kept")],
      { type: "all-kept" },
    ],
  ])("with a maximum number of models %s", (_title, maxModels, models, room) => {
    expect(makeRoom({ neededMemory: cpu(2), budget, maxModels, residents: models })).toEqual(room);
  });

  const memory = fc.record({ cpuBytes: fc.nat(20), gpuBytes: fc.nat(20) });
  const models = fc
    .array(
      fc.record({
        memory,
        lastUsedMs: fc.nat(5),
        use: fc.constantFrom<ResidentModel["use"]>("idle", "busy", "kept"),
      }),
      { maxLength: 6 },
    )
    .map((list) => list.map((model, index) => ({ ...model, alias: `m${index}` })));

  test("frees enough memory and evicts no model unnecessarily", () => {
    fc.assert(
      fc.property(memory, memory, fc.nat(5), models, (neededMemory, budget, maxModels, list) => {
        const room = makeRoom({ neededMemory, budget, maxModels, residents: list });
        if (room.type !== "unload") return;
        const fitsWithout = (aliases: readonly string[]) => {
          const staying = list.filter(({ alias }) => !aliases.includes(alias));
          const left = subtractMemory(budget, addMemory(staying.map((one) => one.memory)));
          return fitsIn(neededMemory, left) && (maxModels === 0 || staying.length < maxModels);
        };
        expect(fitsWithout(room.aliases)).toBe(true);
        for (const alias of room.aliases) {
          expect(fitsWithout(room.aliases.filter((other) => other !== alias))).toBe(false);
        }
      }),
    );
  });

  test("unloads only idle models and waits only for busy models", () => {
    fc.assert(
      fc.property(memory, memory, fc.nat(5), models, (neededMemory, budget, maxModels, list) => {
        const room = makeRoom({ neededMemory, budget, maxModels, residents: list });
        if (room.type !== "unload" && room.type !== "drain") return;
        const expected = room.type === "unload" ? "idle" : "busy";
        const uses = list.filter(({ alias }) => room.aliases.includes(alias)).map(({ use }) => use);
        expect(new Set(uses)).toEqual(new Set([expected]));
      }),
    );
  });
});
