import type { FastifyInstance } from "fastify";
import { type Logger, pino } from "pino";
import { buildApp } from "../../src/app.js";
import { parseDeprecation } from "../../src/config/deprecation.js";
import { settings } from "../../src/config/settings.js";
import type { Engine } from "../../src/core/engine.js";
import type { ServedModel } from "../../src/core/model-directory.js";
import { ModelRegistry } from "../../src/registry/model-registry.js";
import { RegisteredModel } from "../../src/registry/registered-model.js";
import { GenerationScheduler } from "../../src/scheduler/generation-scheduler.js";
import type { Todos } from "../../src/todos/todo.js";

export const ALIAS = "scripted";

export interface TestAppOptions {
  readonly todos?: Todos;
  readonly logger?: Logger;
  readonly apiKeys?: readonly string[];
  readonly readOnlyApiKeys?: readonly string[];
  /** In the format of the setting; defaults to the setting's default. */
  readonly deprecate?: readonly string[];
  readonly acceptAnyModel?: boolean;
  readonly maxQueue?: number;
  /** Served beside the one that generates text. */
  readonly otherModels?: readonly ServedModel[];
}

export interface TestApp {
  readonly app: FastifyInstance;
  readonly models: ModelRegistry;
  /** The one that generates text. */
  readonly model: RegisteredModel;
  readonly scheduler: GenerationScheduler;
}

const noTodos: Todos = {
  list: () => [],
  page: () => ({ items: [], next: undefined }),
  find: () => {
    throw new Error("no todos here");
  },
  create: () => Promise.reject(new Error("no todos here")),
  change: () => Promise.reject(new Error("no todos here")),
  remove: () => Promise.reject(new Error("no todos here")),
};

/** Builds the complete application with an engine and a ready model, without listening. */
export function buildTestApp(engine: Engine, options: TestAppOptions = {}): TestApp {
  const loading = buildLoadingApp(options);
  const scheduler = new GenerationScheduler(engine, {
    requests: options.maxQueue ?? 100,
    promptTokens: 1_000_000,
  });
  loading.model.serve({
    kind: "generation",
    alias: ALIAS,
    createdAt: 1_700_000_000,
    engine: engine.description,
    generations: scheduler,
    texts: engine,
  });
  return { ...loading, scheduler };
}

/** Builds the complete application with a model that is still loading. */
export function buildLoadingApp({
  apiKeys = [],
  readOnlyApiKeys = [],
  deprecate = settings.deprecate.schema.parse(undefined),
  acceptAnyModel = false,
  todos = noTodos,
  logger = pino({ level: "silent" }),
  otherModels = [],
}: TestAppOptions = {}): Omit<TestApp, "scheduler"> {
  const model = new RegisteredModel(ALIAS);
  const others = otherModels.map((other) => {
    const registered = new RegisteredModel(other.alias, other.kind);
    registered.serve(other);
    return registered;
  });
  const models = new ModelRegistry({
    models: [model, ...others],
    otherNames: acceptAnyModel ? "served" : "rejected",
  });
  const app = buildApp({
    models,
    todos,
    apiKeys: { full: apiKeys, readOnly: readOnlyApiKeys },
    deprecations: deprecate.map(parseDeprecation),
    version: "0.0.0",
    logger,
  });
  return { app, models, model };
}
