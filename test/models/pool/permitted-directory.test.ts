import { describe, expect, test } from "vitest";
import type { GenerationModel, ServedModel } from "../../../src/core/model-directory.js";
import type { ModelRights } from "../../../src/core/model-rights.js";
import type { ModelRegistryOptions } from "../../../src/models/pool/model-registry.js";
import { someCaller } from "../../support/callers.js";
import { registryWith } from "../../support/pooled-models.js";
import { refusal, rejection } from "../../support/refusal.js";
import { noAdapters, servedModel } from "../../support/served-model.js";
import { someAdapter } from "../../support/some-adapter.js";

const adapted: GenerationModel = {
  ...servedModel("main"),
  adapters: { ...noAdapters, list: [someAdapter("sql"), someAdapter("poet")] },
};
const vectors = {
  ...servedModel("vectors"),
  kind: "embedding",
  pooling: {},
} as unknown as ServedModel;
const user = someCaller();

const permitting = (
  rights: ModelRights,
  otherNames: ModelRegistryOptions["otherNames"] = "rejected",
) =>
  registryWith([adapted, servedModel("mini"), vectors], otherNames, ["gpt-4o"]).permitting(rights);

describe("the models of a key with a list of models", () => {
  test.each([
    [["m*"], ["main", "mini"]],
    [["gpt-*"], ["main"]],
    [
      ["MINI", "vectors"],
      ["mini", "vectors"],
    ],
    [["none"], []],
  ])("%j are %j", (models, aliases) => {
    const directory = permitting({ models });
    expect(directory.models.map(({ alias }) => alias)).toEqual(aliases);
    expect(directory.list().map(({ alias }) => alias)).toEqual(aliases);
  });

  test("are found by their names, aliases and adapters", async () => {
    const directory = permitting({ models: ["main"] });
    for (const name of ["main", "MAIN", "gpt-4o", "sql"]) {
      expect(directory.findEntry(name).alias).toBe("main");
      expect((await directory.find(name, user)).kind).toBe("generation");
    }
  });

  test("are the only ones that errors name", async () => {
    const directory = permitting({ models: ["mini"] });
    for (const name of ["main", "gpt-4o", "sql", "mine"]) {
      const error = await rejection(directory.resolve("generation", name, user));
      expect(error).toMatchObject({ code: "model_not_found", param: "model" });
      expect(error.message).toMatch(/this server serves `mini`\.$/);
      expect(refusal(() => directory.findEntry(name)).code).toBe("model_not_found");
    }
    const { message } = await rejection(directory.resolve("embedding", undefined, user));
    expect(message).not.toMatch(/main|vectors/);
  });

  test("answer requests without a name, if the default model is not among them", async () => {
    expect(
      (await permitting({ models: ["mini"] }).resolve("generation", undefined, user)).alias,
    ).toBe("mini");
    expect(permitting({ models: ["m*"] }).findDefault("generation")?.alias).toBe("main");
    expect(permitting({ models: ["mini"] }).findDefault("embedding")).toBeUndefined();
  });

  test("answer requests with other names, if the server accepts these", async () => {
    const directory = permitting({ models: ["mini"] }, "served");
    expect((await directory.resolve("generation", "main", user)).alias).toBe("mini");
  });

  test("may be none", async () => {
    const directory = permitting({ models: ["x"] });
    for (const name of ["main", undefined]) {
      expect(await rejection(directory.resolve("generation", name, user))).toMatchObject({
        code: "model_not_found",
        message: "The API key may use none of the models of this server.",
      });
    }
  });
});

describe("the adapters of a key with a list of adapters", () => {
  test("are in lists, and are found by their names", async () => {
    const directory = permitting({ adapters: ["s*"] });
    expect(directory.models[0]?.adapters.map(({ name }) => name)).toEqual(["sql"]);
    expect((await directory.resolve("generation", "sql", user)).alias).toBe("sql");
    const error = await rejection(directory.resolve("generation", "poet", user));
    expect(error.code).toBe("model_not_found");
    expect(error.message).toContain("`sql`");
    expect(error.message).not.toContain("`poet`,");
  });

  test("are the only ones that requests can choose by id", async () => {
    const { adapters } = await permitting({ adapters: ["poet"] }).resolve(
      "generation",
      "main",
      user,
    );
    expect(adapters.list.map(({ name }) => name)).toEqual(["poet"]);
    const none = await permitting({ adapters: [] }).resolve("generation", "main", user);
    expect(none.adapters.list).toEqual([]);
  });
});

test("the limits of a key apply to the model that it uses", async () => {
  const { generations } = await permitting({ maxTokens: 10 }).resolve("generation", "main", user);
  const request = {
    id: "r",
    prompt: { type: "text", text: "Hi" },
    sampling: {},
    stopping: { maxTokens: 11, minTokens: 0, stop: [], ignoreEos: false },
  } as const;
  expect(await rejection(generations.submit([request], user))).toMatchObject({
    code: "invalid_request",
    param: "max_tokens",
  });
});

test.each([
  [50, 50],
  [500, 128],
])("with max-context=%i the model has a context of %i tokens", async (maxContext, contextSize) => {
  const directory = permitting({ maxContext });
  const { engine } = await directory.resolve("generation", "main", user);
  expect(engine.model.contextSize).toBe(contextSize);
  const [listed] = directory.list();
  expect(listed?.loaded?.engine.model.contextSize).toBe(contextSize);
});

test("the registry and its parts share the stage of the server", () => {
  const registry = registryWith([adapted]);
  const directory = registry.permitting({ models: ["main"] });
  registry.drain();
  expect(directory.readiness).toEqual({ state: "draining" });
  expect(refusal(() => directory.findEntry("main")).code).toBe("shutting_down");
});
