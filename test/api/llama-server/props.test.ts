import { expect, it } from "vitest";
import { nativeProps, toProps } from "../../../src/api/llama-server/props.js";
import type { GenerationDefaults } from "../../../src/core/generation-request.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { storedModel } from "../../support/scripted-library.js";
import { servedModel } from "../../support/served-model.js";
import { ALIAS, buildRouterApp, buildTestApp } from "../../support/test-app.js";

const engine = () => new ScriptedEngine(() => ({ parts: ["ok"] }), { slots: 3, contextSize: 70 });

it("GET /props returns the properties that llama.cpp clients require, without directory names", async () => {
  const { app } = buildTestApp(engine());
  const response = await app.inject("/props");
  expect(response.json()).toEqual({
    default_generation_settings: { n_ctx: 70 },
    total_slots: 3,
    model_alias: "scripted",
    model_path: "scripted.gguf",
    chat_template: "",
    modalities: { vision: false, video: false, audio: false },
    media_marker: "<__media__>",
    build_info: "ggufd 0.0.0",
    is_sleeping: false,
  });
});

it("GET /props returns the model's defaults under request field names, with -1 for unlimited windows", () => {
  const served = servedModel("one");
  const defaults: GenerationDefaults = {
    maxTokens: 100,
    seed: 7,
    sampling: {
      ...{ temperature: 0.6, topK: 20, repeatLastN: -1, xtcProbability: 0.5 },
      ...{ mirostat: 2, mirostatEnt: 3, samplers: ["top_k", "xtc"] },
    },
  };
  const described = { ...served, engine: { ...served.engine, defaults } };
  expect(toProps(described as typeof served, "1.2.3").default_generation_settings.params).toEqual({
    seed: 7,
    temperature: 0.6,
    top_k: 20,
    repeat_last_n: -1,
    xtc_probability: 0.5,
    mirostat: 2,
    mirostat_tau: 3,
    samplers: ["top_k", "xtc"],
    max_tokens: 100,
    n_predict: 100,
  });
});

it("GET /props returns the model's chat template", () => {
  const served = servedModel("one");
  const model = { ...served.engine.model, chatTemplate: "{{ messages }}" };
  const described = { ...served, engine: { ...served.engine, model } };
  expect(toProps(described as typeof served, "1.2.3")).toMatchObject({
    chat_template: "{{ messages }}",
    build_info: "ggufd 1.2.3",
  });
});

it.each([
  ["/props?model=gpt-5", 404],
  ["/props?model=scripted", 200],
  ["/props?autoload=false", 200],
  ["/props?autoload=1", 200],
  ["/props?autoload=true&model=gpt-5", 404],
  ["/props?autoload=yes", 400],
  ["/props?model=", 400],
])("GET /props selects a model by query: %s", async (url, status) => {
  const { app } = buildTestApp(engine());
  expect((await app.inject(url)).statusCode).toBe(status);
});

it("GET /props reports an unloaded model without loading it", async () => {
  const { app, library } = buildTestApp(engine());
  library.add(storedModel("stored"));
  const response = await app.inject("/props?model=stored");
  expect(nativeProps.parse(response.json())).toEqual({
    default_generation_settings: { n_ctx: 0 },
    total_slots: 0,
    model_alias: "stored",
    model_path: "",
    chat_template: "",
    modalities: { vision: false, video: false, audio: false },
    media_marker: "<__media__>",
    build_info: "ggufd 0.0.0",
    is_sleeping: true,
  });
  expect(library.calls).toEqual([]);
});

it("GET /props identifies a router if there are several models and the query names none", async () => {
  const { app, library } = buildTestApp(engine());
  library.add(storedModel("stored"));
  const response = await app.inject("/props");
  expect(nativeProps.parse(response.json())).toMatchObject({ role: "router", model_alias: ALIAS });
  expect((await app.inject(`/props?model=${ALIAS}`)).json()).not.toHaveProperty("role");
});

it("GET /props identifies a router without a default model, and loads no model", async () => {
  const { app, library } = buildRouterApp();
  expect((await app.inject("/props")).statusCode).toBe(503);
  library.add(storedModel("stored"));
  for (const url of ["/props", "/props?autoload=true"]) {
    const response = await app.inject(url);
    expect(nativeProps.parse(response.json())).toMatchObject({
      role: "router",
      max_instances: 0,
      models_autoload: true,
      default_generation_settings: { n_ctx: 0 },
      total_slots: 0,
      model_alias: "ggufd",
      build_info: "ggufd 0.0.0",
      is_sleeping: true,
    });
  }
  expect(library.calls).toEqual([]);
});

it("GET /props states by which rules a router loads models", async () => {
  const loadRules = { maxModels: 3, loading: "explicit" } as const;
  const { app, library } = buildTestApp(engine(), { loadRules });
  library.add(storedModel("stored"));
  expect((await app.inject("/props")).json()).toMatchObject({
    role: "router",
    max_instances: 3,
    models_autoload: false,
  });
  expect((await app.inject(`/props?model=${ALIAS}`)).json()).not.toHaveProperty("max_instances");
});

it("GET /props loads a model only if the query sets autoload=true", async () => {
  const { app, models } = buildTestApp(engine());
  const asked: unknown[] = [];
  const find = models.find.bind(models);
  models.find = (name, user) => {
    asked.push(name);
    return find(name, user);
  };
  for (const query of ["", "&autoload=false", "&autoload=true"]) {
    expect((await app.inject(`/props?model=${ALIAS}${query}`)).json().is_sleeping).toBe(false);
  }
  expect(asked).toEqual([ALIAS]);
});

it("GET /props requires a key if the server has keys", async () => {
  const { app } = buildTestApp(engine(), { apiKeys: ["secret"] });
  expect((await app.inject("/props")).statusCode).toBe(401);
});
