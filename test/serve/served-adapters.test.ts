import { describe, expect, test } from "vitest";
import { ServedAdapters } from "../../src/serve/served-adapters.js";
import { refusal, rejection } from "../support/refusal.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { someAdapter } from "../support/some-adapter.js";

const always = someAdapter("a", { use: "always", scale: 0.5 });
const asked = someAdapter("b");

function served(options: ConstructorParameters<typeof ScriptedEngine>[1] = {}) {
  const adapters = [always, asked];
  return new ServedAdapters(new ScriptedEngine(() => ({ parts: [] }), { adapters, ...options }));
}

const load = (name: string) => ({ type: "load", adapter: someAdapter(name) }) as const;
const unload = (name: string) => ({ type: "unload", name }) as const;

describe("the adapters of a served model", () => {
  test("are applied by default as configured, until other defaults are set", () => {
    const adapters = served();
    expect(adapters.defaults).toEqual([{ name: "a", scale: 0.5 }]);
    expect(adapters.chosenDefaults).toBeUndefined();
    adapters.useByDefault([
      { name: "a", scale: 0 },
      { name: "b", scale: 2 },
    ]);
    expect(adapters.defaults).toEqual([{ name: "b", scale: 2 }]);
    expect(adapters.chosenDefaults).toEqual(adapters.defaults);
    expect(refusal(() => adapters.useByDefault([{ name: "c", scale: 1 }])).message).toBe(
      "lora: expected an adapter of this model (a, b), got c.",
    );
    expect(adapters.chosenDefaults).toEqual([{ name: "b", scale: 2 }]);
  });

  test("are not applied by default while they are being unloaded", async () => {
    const adapters = served();
    adapters.useByDefault([{ name: "b", scale: 2 }]);
    const unloaded = adapters.change(unload("b"));
    expect(adapters.chosenDefaults).toEqual([]);
    expect(adapters.list).toEqual([always]);
    await unloaded;
    expect(adapters.list).toEqual([always]);
  });

  test("are unchanged if an operation fails", async () => {
    const lost = new Error("lost");
    const adapters = served({ onAdapt: () => Promise.reject(lost) });
    await expect(adapters.change(unload("b"))).rejects.toBe(lost);
    await expect(adapters.change(load("c"))).rejects.toBe(lost);
    await expect(adapters.change(load("c"))).rejects.toBe(lost);
    expect(adapters.list).toEqual([always, asked]);
  });

  test("are those loaded by the restarted engine after a crash", async () => {
    const adapters = served();
    adapters.useByDefault([{ name: "b", scale: 2 }]);
    adapters.restore([always]);
    expect(adapters.list).toEqual([always]);
    expect(adapters.chosenDefaults).toEqual([]);
    await expect(adapters.change(unload("b"))).rejects.toMatchObject({ param: "lora_name" });
  });

  test("are loaded one at a time", async () => {
    let loading = 0;
    const adapters = served({
      onAdapt: async () => {
        loading += 1;
        expect(loading).toBe(1);
        await new Promise(setImmediate);
        loading -= 1;
      },
    });
    await Promise.all(["c", "d", "e"].map((name) => adapters.change(load(name))));
    expect(adapters.list.map(({ name }) => name)).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("have unique names, and can be unloaded", async () => {
    const adapters = served();
    expect((await rejection(adapters.change(load("a")))).param).toBe("lora_name");
    expect((await rejection(adapters.change(unload("c")))).param).toBe("lora_name");
  });
});
