import { describe, expect, test } from "vitest";
import { ModelRegistry } from "../../src/registry/model-registry.js";
import { refusal } from "../support/refusal.js";
import { servedModel } from "../support/served-model.js";

const mini = servedModel("mini");

const registry = (otherNames: "rejected" | "served" = "rejected") =>
  new ModelRegistry({ alias: "mini", otherNames });

function ready(otherNames?: "rejected" | "served"): ModelRegistry {
  const models = registry(otherNames);
  models.serve(mini);
  return models;
}

describe("readiness", () => {
  test("goes from loading to ready to draining", () => {
    const models = registry();
    expect(models.readiness).toEqual({ state: "loading", progress: 0 });
    models.reportProgress(0.5);
    expect(models.readiness).toEqual({ state: "loading", progress: 0.5 });
    models.serve(mini);
    expect(models.readiness).toEqual({ state: "ready" });
    models.drain();
    expect(models.readiness).toEqual({ state: "draining" });
  });

  test("is suspended while the engine is restarted", () => {
    const models = ready();
    models.suspend();
    expect(models.readiness).toEqual({ state: "restarting" });
    expect(refusal(() => models.resolve("mini"))).toMatchObject({
      code: "model_unavailable",
      retryAfterSeconds: 2,
    });
    models.resume();
    expect(models.readiness).toEqual({ state: "ready" });
    expect(models.resolve("mini")).toBe(mini);
  });

  test("does not become ready when the engine is restarted while draining or loading", () => {
    const draining = ready();
    draining.suspend();
    draining.drain();
    draining.resume();
    draining.suspend();
    expect(draining.readiness).toEqual({ state: "draining" });
    const loading = registry();
    loading.suspend();
    loading.resume();
    expect(loading.readiness).toEqual({ state: "loading", progress: 0 });
  });

  test("never returns to an earlier state", () => {
    const models = ready();
    models.reportProgress(0.9);
    expect(models.readiness).toEqual({ state: "ready" });
    models.drain();
    models.reportProgress(0.9);
    models.serve(mini);
    expect(models.readiness).toEqual({ state: "draining" });
  });
});

describe("resolve", () => {
  test.each(["mini", undefined])("finds the model by the name %s", (name) => {
    expect(ready().resolve(name)).toBe(mini);
  });

  test("rejects other names with an error that contains both names", () => {
    expect(refusal(() => ready().resolve("gpt-4o"))).toMatchObject({
      code: "model_not_found",
      param: "model",
      message: "The model `gpt-4o` does not exist; this server serves `mini`.",
    });
  });

  test.each(["gpt-4o", "", "MINI"])("accepts the name %j when any name is served", (name) => {
    expect(ready("served").resolve(name)).toBe(mini);
    expect(refusal(() => ready().resolve(name)).code).toBe("model_not_found");
  });

  test("sends Retry-After while the model is loading", () => {
    expect(refusal(() => registry().resolve("mini"))).toMatchObject({
      code: "model_loading",
      retryAfterSeconds: 2,
      message: "The model `mini` is still loading.",
    });
  });

  test("rejects an unknown name even while the model is loading", () => {
    expect(refusal(() => registry().resolve("gpt-4o")).code).toBe("model_not_found");
  });

  test.each([
    ["a ready", ready()],
    ["a loading", registry()],
  ])("rejects all requests once %s registry drains", (_, models) => {
    models.drain();
    for (const name of ["mini", "gpt-4o", undefined]) {
      expect(refusal(() => models.resolve(name))).toMatchObject({
        code: "shutting_down",
        retryAfterSeconds: 5,
      });
    }
  });
});

describe("list", () => {
  test("contains the served model", () => {
    expect(ready().list()).toEqual([mini]);
  });

  test.each([
    ["model_loading", registry()],
    [
      "shutting_down",
      (() => {
        const models = ready();
        models.drain();
        return models;
      })(),
    ],
  ])("fails with %s when no model is available", (code, models) => {
    expect(refusal(() => models.list()).code).toBe(code);
  });
});
