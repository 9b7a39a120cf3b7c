import { describe, expect, test } from "vitest";
import type { ModelKind, ServedModel } from "../../src/core/model-directory.js";
import { ModelRegistry } from "../../src/registry/model-registry.js";
import { RegisteredModel } from "../../src/registry/registered-model.js";
import { refusal, rejection } from "../support/refusal.js";
import { servedModel } from "../support/served-model.js";

const mini = servedModel("mini");
const vectors = { ...servedModel("vectors"), kind: "embedding" } as unknown as ServedModel;

type OtherNames = "rejected" | "served";

function registered(model: ServedModel, expectedKind?: ModelKind): RegisteredModel {
  const entry = new RegisteredModel(model.alias, expectedKind);
  entry.serve(model);
  return entry;
}

/** A registry of models that are loaded, but for those given by name. */
function registryOf(
  models: readonly (ServedModel | string)[],
  otherNames: OtherNames = "rejected",
): ModelRegistry {
  return new ModelRegistry({
    models: models.map((one) =>
      typeof one === "string" ? new RegisteredModel(one) : registered(one),
    ),
    otherNames,
  });
}

const ready = (otherNames?: OtherNames) => registryOf([mini], otherNames);
const loading = () => registryOf(["mini"]);

describe("a model's readiness", () => {
  test("goes from loading to ready", () => {
    const model = new RegisteredModel("mini");
    expect(model.readiness).toEqual({ state: "loading", progress: 0 });
    model.reportProgress(0.5);
    expect(model.readiness).toEqual({ state: "loading", progress: 0.5 });
    model.serve(mini);
    model.reportProgress(0.9);
    expect(model.readiness).toEqual({ state: "ready" });
    expect(model.take()).toBe(mini);
  });

  test("is suspended while its process is restarted", () => {
    const model = registered(mini);
    model.suspend();
    expect(model.readiness).toEqual({ state: "restarting" });
    expect(refusal(() => model.take())).toMatchObject({
      code: "model_unavailable",
      retryAfterSeconds: 2,
    });
    expect([model.loaded, model.losses]).toEqual([mini, 1]);
    model.resume();
    expect(model.readiness).toEqual({ state: "ready" });
    expect(model.take()).toBe(mini);
    expect(model.losses).toBe(1);
  });

  test("is restarting when its process is lost between loading and serving", () => {
    const model = new RegisteredModel("mini");
    model.suspend();
    model.serve(mini);
    expect(model.readiness).toEqual({ state: "restarting" });
    model.resume();
    expect(model.readiness).toEqual({ state: "ready" });
  });

  test("is loading until the model is loaded, whatever its process does", () => {
    const model = new RegisteredModel("mini");
    model.suspend();
    model.resume();
    expect(model.readiness).toEqual({ state: "loading", progress: 0 });
  });
});

describe("the server's readiness", () => {
  test("is that of the only model", () => {
    const model = new RegisteredModel("mini");
    const models = new ModelRegistry({ models: [model], otherNames: "rejected" });
    model.reportProgress(0.5);
    expect(models.readiness).toEqual({ state: "loading", progress: 0.5 });
    model.serve(mini);
    expect(models.readiness).toEqual({ state: "ready" });
    model.suspend();
    expect(models.readiness).toEqual({ state: "restarting" });
  });

  test("is loading with the mean progress while one of several is loading", () => {
    const second = new RegisteredModel("vectors", "embedding");
    const models = new ModelRegistry({ models: [registered(mini), second], otherNames: "served" });
    second.reportProgress(0.5);
    expect(models.readiness).toEqual({ state: "loading", progress: 0.75 });
    expect(models.models.map(({ alias, readiness }) => [alias, readiness.state])).toEqual([
      ["mini", "ready"],
      ["vectors", "loading"],
    ]);
  });

  test("is restarting while one of several is restarted", () => {
    const second = registered(vectors);
    const models = new ModelRegistry({ models: [registered(mini), second], otherNames: "served" });
    second.suspend();
    expect(models.readiness).toEqual({ state: "restarting" });
  });

  test("is draining for ever once it drains", () => {
    const model = registered(mini);
    const models = new ModelRegistry({ models: [model], otherNames: "rejected" });
    models.drain();
    model.suspend();
    model.resume();
    expect(models.readiness).toEqual({ state: "draining" });
  });

  test("without models is ready until it drains", () => {
    const models = registryOf([]);
    expect(models.readiness).toEqual({ state: "ready" });
    models.drain();
    expect(models.readiness).toEqual({ state: "draining" });
  });
});

describe("resolve", () => {
  test.each(["mini", undefined])("finds the model by the name %s", async (name) => {
    expect(await ready().resolve("generation", name)).toBe(mini);
    expect(await ready().find(name)).toBe(mini);
  });

  test("rejects other names with an error that contains all names", async () => {
    const models = registryOf([mini, vectors]);
    for (const asked of [models.resolve("generation", "gpt-4o"), models.find("gpt-4o")]) {
      expect(await rejection(asked)).toMatchObject({
        code: "model_not_found",
        param: "model",
        message: "The model `gpt-4o` does not exist; this server serves `mini`, `vectors`.",
      });
    }
  });

  test.each(["gpt-4o", "", "MINI"])("accepts the name %j when any name is served", async (name) => {
    expect(await ready("served").resolve("generation", name)).toBe(mini);
    expect((await rejection(ready().resolve("generation", name))).code).toBe("model_not_found");
  });

  test.each(["rejected", "served"] as const)(
    "takes the first model of the kind (other names %s)",
    async (otherNames) => {
      const models = registryOf([mini, vectors], otherNames);
      expect(await models.resolve("embedding", undefined)).toBe(vectors);
      expect(await models.resolve("generation", undefined)).toBe(mini);
    },
  );

  test("refuses a model of another kind and names a suitable one", async () => {
    expect(
      await rejection(registryOf([mini, vectors], "served").resolve("generation", "vectors")),
    ).toMatchObject({
      code: "invalid_request",
      param: "model",
      message:
        "model: expected a model that generates text, got `vectors`, which makes embeddings; here that takes `mini`.",
    });
  });

  test.each([
    ["named", "mini"],
    ["default", undefined],
  ])("names the setting when there is no model of the kind (%s)", async (_, name) => {
    expect(await rejection(ready().resolve("embedding", name))).toMatchObject({
      code: "invalid_request",
      param: "model",
      message:
        "model: expected a model that makes embeddings, got `mini`, which generates text; this server has no model that makes embeddings (--embedding-model).",
    });
  });

  test("sends Retry-After while the model is loading, whatever it is for", async () => {
    for (const kind of ["generation", "embedding"] as const) {
      expect(await rejection(loading().resolve(kind, "mini"))).toMatchObject({
        code: "model_loading",
        retryAfterSeconds: 2,
        message: "The model `mini` is still loading.",
      });
    }
  });

  test("waits for the model of its kind only", async () => {
    const models = registryOf(["mini", vectors]);
    expect(await models.resolve("embedding", undefined)).toBe(vectors);
    expect((await rejection(models.resolve("generation", undefined))).code).toBe("model_loading");
  });

  test("rejects an unknown name even while the model is loading", async () => {
    expect((await rejection(loading().resolve("generation", "gpt-4o"))).code).toBe(
      "model_not_found",
    );
  });

  test("without models names --no-model", async () => {
    expect(await rejection(registryOf([]).resolve("generation", undefined))).toMatchObject({
      code: "model_unavailable",
      message: expect.stringContaining("--no-model"),
    });
    expect(await rejection(registryOf([]).find("mini"))).toMatchObject({
      code: "model_unavailable",
    });
  });

  test.each([
    ["ready", ready],
    ["loading", loading],
  ])("rejects all requests once a %s registry drains", async (_, registry) => {
    const models = registry();
    models.drain();
    for (const name of ["mini", "gpt-4o", undefined]) {
      expect(await rejection(models.resolve("generation", name))).toMatchObject({
        code: "shutting_down",
        retryAfterSeconds: 5,
      });
    }
  });
});

describe("list", () => {
  test("contains the models that can be used", () => {
    expect(ready().list()).toEqual([mini]);
    expect(registryOf(["mini", vectors]).list()).toEqual([vectors]);
    expect(registryOf([]).list()).toEqual([]);
  });

  test("fails while no model is available", () => {
    expect(refusal(() => loading().list()).code).toBe("model_loading");
    const draining = ready();
    draining.drain();
    expect(refusal(() => draining.list()).code).toBe("shutting_down");
  });
});
