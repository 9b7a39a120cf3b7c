import { describe, expect, it } from "vitest";
import { StartupError } from "../../../src/core/startup-error.js";
import {
  type ConfiguredModel,
  ConfiguredModels,
} from "../../../src/models/library/configured-models.js";
import { ModelPool } from "../../../src/models/pool/model-pool.js";
import { someCaller } from "../../support/callers.js";
import { eventually } from "../../support/eventually.js";
import { scriptedLoads } from "../pool/loadables.js";

const named = (alias: string, contextSize = 1): ConfiguredModel => ({
  alias,
  file: `/models/${alias}.gguf`,
  spec: { alias, sampling: { contextSize } },
});

function configured(models: readonly ConfiguredModel[]) {
  const loads = scriptedLoads("at-once");
  const loadableOf = ({ alias }: ConfiguredModel) => loads.loadable(alias);
  const pool = new ModelPool({
    cores: 2,
    models: models.map(loadableOf),
    budget: () => ({ cpuBytes: 10, gpuBytes: 0 }),
    maxWaiting: 10,
    waitingLimitMs: 0,
    onFailure: () => undefined,
  });
  let next: readonly ConfiguredModel[] | StartupError = models;
  let changes = 0;
  const all = new ConfiguredModels({
    pool,
    models,
    read: async () => {
      if (next instanceof StartupError) throw next;
      return next;
    },
    loadableOf,
    onChange: () => changes++,
  });
  return {
    pool,
    loads,
    all,
    changes: () => changes,
    reloadAs(models: readonly ConfiguredModel[] | StartupError) {
      next = models;
      return all.reload();
    },
    names: () => all.pooled.map(({ alias }) => alias),
    load: async (alias: string) => {
      const model = pool.find(alias);
      if (model !== undefined) await pool.load(model, someCaller().signal);
    },
  };
}

describe("configured models that are read again", () => {
  it("are added, removed and replaced, and unchanged ones stay loaded", async () => {
    const { pool, loads, names, load, reloadAs, changes, all } = configured([
      named("kept"),
      named("changed"),
      named("removed"),
    ]);
    for (const alias of ["kept", "changed", "removed"]) await load(alias);
    const kept = pool.find("kept");
    await reloadAs([named("added"), named("changed", 2), named("kept")]);
    expect(names()).toEqual(["added", "changed", "kept"]);
    expect(pool.find("kept")).toBe(kept);
    expect(pool.find("removed")).toBeUndefined();
    await eventually(() => expect([...loads.held]).toEqual(["kept"]));
    await load("changed");
    expect([...loads.held]).toEqual(["kept", "changed"]);
    expect([all.fileOf("added"), all.fileOf("removed")]).toEqual(["/models/added.gguf", undefined]);
    expect(changes()).toBe(1);
  });

  it("are not changed if nothing has changed", async () => {
    const { pool, changes, reloadAs } = configured([named("a")]);
    const a = pool.find("a");
    await reloadAs([named("a")]);
    expect([pool.find("a"), changes()]).toEqual([a, 0]);
  });

  it.each<[string, readonly ConfiguredModel[] | StartupError]>([
    ["the configuration is invalid", new StartupError("invalid")],
    ["a stored model has the name of a new one", [named("a", 2), named("stored")]],
  ])("stay as they are if %s", async (_, next) => {
    const { pool, loads, names, load, reloadAs, changes } = configured([named("a")]);
    pool.add(loads.loadable("stored"));
    await load("a");
    await expect(reloadAs(next)).rejects.toThrow(StartupError);
    expect([names(), [...loads.held], changes()]).toEqual([["a"], ["a"], 0]);
    await reloadAs([named("a"), named("b")]);
    expect(names()).toEqual(["a", "b"]);
  });
});
