import { availableParallelism } from "node:os";
import { describe, expect, test } from "vitest";
import type { MemoryPlan } from "../../src/engine/memory/memory-plan.js";
import {
  buildReplicaSettings,
  type PlacedReplica,
  readPlacements,
} from "../../src/serve/place-replicas.js";
import type { ModelReport } from "../../src/serve/plan-specs.js";
import { engineSettings } from "../support/engine-settings.js";

const settings = {
  ...engineSettings,
  cacheRamMiB: 1000,
  cacheDiskMiB: 7,
  cacheDir: "/states",
  slotSavePath: "/slots",
  placement: { checkTensors: true, devices: ["CUDA0", "CUDA1"] },
};

describe("the settings of replicas", () => {
  test("are those of the model if it has one engine", () => {
    expect(buildReplicaSettings(settings, [{}])).toEqual([settings]);
  });

  test("have the devices and cores of each", () => {
    const replicas = [{ devices: ["CUDA0"], gpu: "cuda" } as const, { cores: [1, 2] }];
    expect(buildReplicaSettings(settings, replicas)).toMatchObject([
      { gpu: "cuda", placement: { checkTensors: true, devices: ["CUDA0"] } },
      { gpu: "off", placement: { devices: ["CUDA0", "CUDA1"] }, cores: [1, 2] },
    ]);
  });

  test("divide the budgets of saved states, which are in folders for each", () => {
    expect(buildReplicaSettings(settings, [{}, {}, {}])).toMatchObject([
      { cacheRamMiB: 333, cacheDiskMiB: 2, cacheDir: "/states", slotSavePath: "/slots" },
      { cacheRamMiB: 333, cacheDiskMiB: 2, cacheDir: "/states/replica-1", slotSavePath: "/slots" },
      { cacheRamMiB: 333, cacheDiskMiB: 2, cacheDir: "/states/replica-2", slotSavePath: "/slots" },
    ]);
    const none = { ...settings, cacheRamMiB: 0, cacheDiskMiB: 1, cacheDir: undefined };
    expect(buildReplicaSettings(none, [{}, {}])).toMatchObject([
      { cacheRamMiB: 0, cacheDiskMiB: 1, cacheDir: undefined },
      { cacheRamMiB: 0, cacheDiskMiB: 1, cacheDir: undefined },
    ]);
  });

  const threadsOf = (threads: number | "auto", replicas: readonly PlacedReplica[]) =>
    buildReplicaSettings({ ...settings, threads }, replicas).map((one) => one.threads);

  test("keep configured threads", () => {
    expect(threadsOf(3, [{}, {}])).toEqual([3, 3]);
  });

  test("measure threads on the cores that each is bound to", () => {
    expect(threadsOf("auto", [{ cores: [0] }, { devices: ["CUDA0"] }])).toEqual(["auto", "auto"]);
    const first = { cores: [0] };
    if (availableParallelism() < 2) return;
    expect(threadsOf("auto", [first, { cores: [1] }])).toEqual(["auto", "auto"]);
  });

  test("divide the cores where they are not bound, or limited by a container", () => {
    const available = availableParallelism();
    const part = Math.max(1, Math.floor(available / 2));
    expect(threadsOf("auto", [{}, {}])).toEqual([part, part]);
    const cores = Array.from({ length: available }, (_, core) => core);
    expect(threadsOf("auto", [{ cores }, { cores }])).toEqual([part, part]);
  });
});

describe("the places of replicas", () => {
  const plan = { slots: 2 } as MemoryPlan;
  const report = (changes: Partial<ModelReport>) =>
    ({
      ...{ kind: "generation", model: "/m.gguf", files: [], plan, replicas: [{}] },
      ...{ memory: { cpuBytes: 1, gpuBytes: 0 }, warnings: [], fittingSizes: [] },
      ...{ shortage: null, wouldFit: [], ...changes },
    }) as ModelReport;
  const placesIn = (changes: Partial<ModelReport>) =>
    readPlacements({ gpu: "cuda", models: [report(changes)] });

  test("have the plan of the model, and the backend of their devices", () => {
    const replicas = [{ devices: ["CUDA0"] }, { cores: [1] }];
    const knownPlan = { files: [], plan };
    expect(placesIn({ replicas } as Partial<ModelReport>)).toEqual([
      { devices: ["CUDA0"], gpu: "cuda", knownPlan },
      { cores: [1], knownPlan },
    ]);
  });

  test("are those of one engine for a model without replicas, or of another kind", () => {
    expect(placesIn({})).toEqual([{}]);
    expect(placesIn({ kind: "embedding" })).toEqual([{}]);
    expect(readPlacements({ gpu: "off", models: [] })).toEqual([{}]);
  });

  test("are refused if they do not fit, with flags that help", () => {
    const shortage = "--replicas 3: expected at most 2, the number of cores";
    const changes = { shortage, wouldFit: ["--replicas 2"] } as Partial<ModelReport>;
    expect(() => placesIn(changes)).toThrow(
      `model /m.gguf: ${shortage}; it would fit with --replicas 2`,
    );
  });
});
