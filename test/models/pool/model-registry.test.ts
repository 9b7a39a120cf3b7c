import { describe, expect, test } from "vitest";
import { NO_MEMORY } from "../../../src/core/memory-use.js";
import type {
  EmbeddingModel,
  GenerationModel,
  ModelKind,
  ServedModel,
} from "../../../src/core/model-directory.js";
import { StartupError } from "../../../src/core/startup-error.js";
import { ModelPool } from "../../../src/models/pool/model-pool.js";
import {
  ModelRegistry,
  type ModelRegistryOptions,
} from "../../../src/models/pool/model-registry.js";
import type { PooledModel } from "../../../src/models/pool/pooled-model.js";
import { someCaller } from "../../support/callers.js";
import { finishLoading, loadableByTest, registryWith } from "../../support/pooled-models.js";
import { refusal, rejection } from "../../support/refusal.js";
import { noAdapters, servedModel } from "../../support/served-model.js";
import { someAdapter } from "../../support/some-adapter.js";
import { scriptedLoads } from "./loadables.js";

const mini = servedModel("mini");
const vectors = { ...servedModel("vectors"), kind: "embedding" } as unknown as ServedModel;
const user = someCaller();

const ready = (otherNames?: ModelRegistryOptions["otherNames"]) => registryWith([mini], otherNames);
const loading = () => registryWith(["mini"]);

/** A registry without configured models, whose pool gets the stored models on first use. */
function withStored(aliases: readonly string[]) {
  const pool = new ModelPool({
    cores: 2,
    models: [],
    budget: () => NO_MEMORY,
    maxWaiting: 100,
    waitingLimitMs: 0,
    onFailure: () => undefined,
  });
  const stored = {
    find: async (name: string) => pool.find(name),
    refresh: async () => {
      for (const alias of aliases) if (!pool.find(alias)) pool.add(loadableByTest(alias));
    },
  };
  return new ModelRegistry({ pool, stored, startupModels: [], otherNames: "rejected" });
}

function first({ models: [model] }: ModelRegistry): PooledModel {
  if (model === undefined) throw new Error("no model");
  return model;
}

test("requests without a model name are answered by the models configured now", async () => {
  const pool = new ModelPool({
    cores: 2,
    models: [loadableByTest("old")],
    budget: () => NO_MEMORY,
    maxWaiting: 100,
    waitingLimitMs: 0,
    onFailure: () => undefined,
  });
  let defaults = pool.models;
  const models = new ModelRegistry({
    pool,
    startupModels: [],
    otherNames: "rejected",
    defaults: () => defaults,
  });
  await models.start(new AbortController().signal);
  expect(models.findEntry(undefined).alias).toBe("old");
  defaults = [pool.add(loadableByTest("new"))];
  expect(models.findEntry(undefined).alias).toBe("new");
});

describe("the default model of a kind", () => {
  const registryOf = (...kinds: readonly (readonly [string, ModelKind | undefined])[]) => {
    const pool = new ModelPool({
      cores: 2,
      models: kinds.map(([alias, kind]) => loadableByTest(alias, kind)),
      budget: () => NO_MEMORY,
      maxWaiting: 100,
      waitingLimitMs: 0,
      onFailure: () => undefined,
    });
    return new ModelRegistry({ pool, startupModels: [], otherNames: "rejected" });
  };

  test.each([
    [
      "the first of the kind",
      [
        ["v", "embedding"],
        ["a", "generation"],
        ["b", "generation"],
      ],
      "a",
    ],
    [
      "one of a known kind",
      [
        ["a", undefined],
        ["b", "generation"],
      ],
      "b",
    ],
    [
      "the first, if no kind is known",
      [
        ["a", undefined],
        ["b", undefined],
      ],
      "a",
    ],
    ["none of another kind", [["v", "embedding"]], undefined],
    ["none without configured models", [], undefined],
  ] as const)("is %s", (_, kinds, alias) => {
    expect(registryOf(...kinds).findDefault("generation")?.alias).toBe(alias);
  });
});

describe("the server's readiness", () => {
  test("equals the readiness of the only model", () => {
    const models = loading();
    const model = first(models);
    model.createListener(() => {}).onProgress(0.5);
    expect(models.readiness).toEqual({ state: "loading", progress: 0.5 });
    finishLoading(model, mini);
    expect(models.readiness).toEqual({ state: "ready" });
    model.createListener(() => {}).onCrash();
    expect(models.readiness).toEqual({ state: "restarting" });
  });

  test("is restarting if the process crashes before its model is served", () => {
    const models = loading();
    const model = first(models);
    model.createListener(() => {}).onCrash();
    finishLoading(model, mini);
    expect(models.readiness).toEqual({ state: "restarting" });
    model.createListener(() => {}).onRestored();
    expect(models.readiness).toEqual({ state: "ready" });
  });

  test("is loading with the mean progress while one of several models is loading", () => {
    const models = registryWith([mini, "vectors"], "served");
    models.models[1]?.createListener(() => {}).onProgress(0.5);
    expect(models.readiness).toEqual({ state: "loading", progress: 0.75 });
    expect(models.models.map(({ alias, state }) => [alias, state.state])).toEqual([
      ["mini", "ready"],
      ["vectors", "loading"],
    ]);
  });

  test("is restarting while one of several models is restarted", () => {
    const models = registryWith([mini, vectors], "served");
    models.models[1]?.createListener(() => {}).onCrash();
    expect(models.readiness).toEqual({ state: "restarting" });
  });

  test("stays draining", () => {
    const models = ready();
    models.drain();
    first(models)
      .createListener(() => {})
      .onCrash();
    first(models)
      .createListener(() => {})
      .onRestored();
    expect(models.readiness).toEqual({ state: "draining" });
  });

  test("is ready until it drains if there are no models", () => {
    const models = registryWith([]);
    expect(models.readiness).toEqual({ state: "ready" });
    models.drain();
    expect(models.readiness).toEqual({ state: "draining" });
  });
});

/** Registry that starts with one model, and loads another one on demand. */
function startingRegistry() {
  const loads = scriptedLoads();
  const pool = new ModelPool({
    cores: 2,
    models: [loads.loadable("main"), loads.loadable("other")],
    budget: () => ({ cpuBytes: 1, gpuBytes: 0 }),
    maxWaiting: 100,
    waitingLimitMs: 0,
    onFailure: () => undefined,
  });
  return {
    loads,
    models: new ModelRegistry({ pool, startupModels: ["main"], otherNames: "rejected" }),
  };
}

/** Waits for the start of a model load, which a test may end. */
async function beginning(loads: ReturnType<typeof scriptedLoads>) {
  for (let turn = 0; turn < 20 && loads.pending.length === 0; turn++) await Promise.resolve();
  const [load] = loads.pending;
  if (load === undefined) throw new Error("nothing is being loaded");
  return load;
}

describe("startup", () => {
  test("loads the configured models only", async () => {
    const { loads, models } = startingRegistry();
    expect(models.readiness).toEqual({ state: "loading", progress: 0 });
    const started = models.start(user.signal);
    (await beginning(loads)).finish();
    await started;
    expect(models.readiness).toEqual({ state: "ready" });
    expect(loads.log).toEqual(["load main", "loaded main"]);
  });

  test("fails with the error of a failed load", async () => {
    const { loads, models } = startingRegistry();
    const broken = new StartupError("model main.gguf: truncated");
    const started = models.start(user.signal).catch((error: unknown) => error);
    (await beginning(loads)).fail(broken);
    expect(await started).toBe(broken);
  });

  test("leaves other models to be loaded on request, while the server stays ready", async () => {
    const { loads, models } = startingRegistry();
    const started = models.start(user.signal);
    (await beginning(loads)).finish();
    await started;
    const asked = models.resolve("generation", "other", user);
    const load = await beginning(loads);
    expect(models.readiness).toEqual({ state: "ready" });
    expect(models.models.map(({ state }) => state.state)).toEqual(["absent", "loading"]);
    load.finish();
    expect((await asked).alias).toBe("other");
    expect(models.list().map(({ alias, state }) => [alias, state.state])).toEqual([
      ["main", "absent"],
      ["other", "ready"],
    ]);
  });
});

describe("resolve", () => {
  test.each(["mini", undefined])("finds the model by the name %s", async (name) => {
    expect(await ready().resolve("generation", name, user)).toBe(mini);
    expect(await ready().find(name, user)).toBe(mini);
  });

  test("rejects other names with an error that contains all names", async () => {
    const models = registryWith([mini, vectors]);
    for (const asked of [
      models.resolve("generation", "gpt-4o", user),
      models.find("gpt-4o", user),
    ]) {
      expect(await rejection(asked)).toMatchObject({
        code: "model_not_found",
        param: "model",
        message: "The model `gpt-4o` does not exist; this server serves `mini`, `vectors`.",
      });
    }
  });

  test.each([
    ["min", "The model `min` does not exist; the nearest name is `mini`"],
    ["Vector", "The model `Vector` does not exist; the nearest name is `vectors`"],
  ])("suggests a name for %s", async (name, suggestion) => {
    const models = registryWith([mini, vectors]);
    const { code, message } = await rejection(models.find(name, user));
    expect({ code, message }).toEqual({
      code: "model_not_found",
      message: `${suggestion}; this server serves \`mini\`, \`vectors\`.`,
    });
  });

  test("ignores the case of unambiguous names", async () => {
    expect(await ready().resolve("generation", "MINI", user)).toBe(mini);
    expect(ready().findEntry("Mini").alias).toBe("mini");
    const upper = servedModel("MINI");
    const both = registryWith([mini, upper]);
    expect(await both.find("MINI", user)).toBe(upper);
    expect((await rejection(both.find("Mini", user))).code).toBe("model_not_found");
  });

  test.each(["gpt-4o", ""])("accepts the name %j if any name is served", async (name) => {
    expect(await ready("served").resolve("generation", name, user)).toBe(mini);
    expect((await rejection(ready().resolve("generation", name, user))).code).toBe(
      "model_not_found",
    );
  });

  test.each(["rejected", "served"] as const)(
    "returns the first model of the kind by default (other names %s)",
    async (otherNames) => {
      const models = registryWith([mini, vectors], otherNames);
      expect(await models.resolve("embedding", undefined, user)).toBe(vectors);
      expect(await models.resolve("generation", undefined, user)).toBe(mini);
    },
  );

  test("returns the embeddings of a model that generates text, unless there is an embedding model", async () => {
    const embeddings = { ...vectors, alias: "mini" } as EmbeddingModel;
    const both = { ...mini, embeddings };
    const models = registryWith([both], "served");
    for (const name of ["mini", undefined, "other"]) {
      expect(await models.resolve("embedding", name, user)).toBe(embeddings);
      expect(await models.resolve("generation", name, user)).toBe(both);
    }
    const others = registryWith([both, vectors]);
    expect(await others.resolve("embedding", undefined, user)).toBe(vectors);
    expect(await others.resolve("embedding", "mini", user)).toBe(embeddings);
    expect((await rejection(others.resolve("reranking", "mini", user))).message).toContain(
      "expected a model that ranks documents, got `mini`",
    );
  });

  test("rejects a model of another kind and names a suitable model", async () => {
    expect(
      await rejection(
        registryWith([mini, vectors], "served").resolve("generation", "vectors", user),
      ),
    ).toMatchObject({
      code: "invalid_request",
      param: "model",
      message:
        "model: expected a model that generates text, got `vectors`, which makes embeddings; use `mini`.",
    });
  });

  test.each([
    ["named", "mini"],
    ["default", undefined],
  ])("names the setting if there is no model of the kind (%s)", async (_, name) => {
    expect(await rejection(ready().resolve("embedding", name, user))).toMatchObject({
      code: "invalid_request",
      param: "model",
      message:
        "model: expected a model that makes embeddings, got `mini`, which generates text; this server has no model that makes embeddings (--embedding-model, or --embeddings for those of the model that generates text).",
    });
  });

  test("sends Retry-After while the model is loading, for any purpose", async () => {
    for (const kind of ["generation", "embedding"] as const) {
      expect(await rejection(loading().resolve(kind, "mini", user))).toMatchObject({
        code: "model_loading",
        retryAfterSeconds: 2,
        message: "The model `mini` is still loading.",
      });
    }
  });

  test("waits only for the model of its kind", async () => {
    const models = registryWith(["mini", vectors]);
    expect(await models.resolve("embedding", undefined, user)).toBe(vectors);
    expect((await rejection(models.resolve("generation", undefined, user))).code).toBe(
      "model_loading",
    );
  });

  test("rejects an unknown name even while the model is loading", async () => {
    expect((await rejection(loading().resolve("generation", "gpt-4o", user))).code).toBe(
      "model_not_found",
    );
  });

  test("lists the models if there is no default model", async () => {
    const models = withStored(["a", "b"]);
    expect(models.models).toEqual([]);
    expect(await rejection(models.resolve("generation", undefined, user))).toMatchObject({
      code: "invalid_request",
      message: "model: expected `a`, `b`, because this server has no default model, got none.",
    });
    expect(await rejection(models.find(undefined, user))).toMatchObject({ param: "model" });
    expect(await rejection(withStored([]).find(undefined, user))).toMatchObject({
      code: "model_unavailable",
      message: expect.stringContaining("none is stored"),
    });
  });

  test("names --no-model if there are no models", async () => {
    expect(await rejection(registryWith([]).resolve("generation", undefined, user))).toMatchObject({
      code: "model_unavailable",
      message: expect.stringContaining("--no-model"),
    });
    expect(await rejection(registryWith([]).find("mini", user))).toMatchObject({
      code: "model_unavailable",
    });
  });

  test.each([
    ["ready", ready],
    ["loading", loading],
  ])("rejects all requests after a %s registry starts to drain", async (_, registry) => {
    const models = registry();
    models.drain();
    for (const name of ["mini", "gpt-4o", undefined]) {
      expect(await rejection(models.resolve("generation", name, user))).toMatchObject({
        code: "shutting_down",
        retryAfterSeconds: 5,
      });
    }
  });
});

const namesIn = (models: ModelRegistry) => models.list().map(({ alias }) => alias);

describe("list", () => {
  test("contains all models, loaded or not", () => {
    expect(namesIn(ready())).toEqual(["mini"]);
    expect(namesIn(registryWith(["mini", vectors]))).toEqual(["mini", "vectors"]);
    expect(namesIn(registryWith([]))).toEqual([]);
  });

  test("fails while no model is available", () => {
    expect(refusal(() => loading().list()).code).toBe("model_loading");
    const draining = ready();
    draining.drain();
    expect(refusal(() => draining.list()).code).toBe("shutting_down");
  });
});

describe("the name of an adapter", () => {
  const adapted = (alias: string, names: readonly string[]): GenerationModel => ({
    ...servedModel(alias),
    adapters: { ...noAdapters, list: names.map((name) => someAdapter(name, { scale: 0.5 })) },
  });

  test("selects its model under this adapter", async () => {
    const models = registryWith([mini, adapted("other", ["sql"])]);
    const served = await models.resolve("generation", "sql", user);
    expect(served).toMatchObject({ alias: "sql", kind: "generation" });
    expect(await models.find("sql", user)).toMatchObject({ alias: "sql" });
    expect(models.findEntry("sql").alias).toBe("other");
    const { message } = await rejection(models.resolve("generation", "poet", user));
    expect(message).toContain("this server serves `mini`, `other`, `sql`.");
  });

  test("has precedence below model names and above arbitrary served names", async () => {
    const models = registryWith([mini, adapted("other", ["mini", "sql"])], "served");
    const served = await models.resolve("generation", "mini", user);
    expect(served.generations).toBe(mini.generations);
    expect((await models.resolve("generation", "sql", user)).alias).toBe("sql");
    expect((await models.resolve("generation", "poet", user)).alias).toBe("mini");
  });

  test("loads its model, and is unknown if the adapter was removed in the meantime", async () => {
    const adapters = [someAdapter("sql")];
    const loads = scriptedLoads("at-once");
    const pool = new ModelPool({
      cores: 2,
      models: [loads.loadable("main", { adapters })],
      budget: () => ({ cpuBytes: 1, gpuBytes: 0 }),
      maxWaiting: 100,
      waitingLimitMs: 0,
      onFailure: () => undefined,
    });
    const models = new ModelRegistry({ pool, startupModels: [], otherNames: "rejected" });
    await models.start(user.signal);
    expect(models.findEntry("sql").alias).toBe("main");
    // The loaded models have no adapters.
    expect((await rejection(models.resolve("generation", "sql", user))).code).toBe(
      "model_not_found",
    );
    expect(loads.log).toEqual(["load main", "loaded main"]);
  });
});
