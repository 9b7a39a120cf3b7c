import type { EngineDescription } from "./engine.js";
import { createRefusal } from "./errors.js";
import type { GenerationRequest } from "./generation-request.js";
import type { GenerationModel, GenerationService, ServedModel } from "./model-directory.js";
import { isPermitted, type ModelRights } from "./model-rights.js";
import type { PoolingService } from "./pooling.js";

/** Returns a model as a key with these rights sees and uses it. */
export function limitModel(model: ServedModel, rights: ModelRights): ServedModel {
  return model.kind === "generation"
    ? limitGenerationModel(model, rights)
    : { ...model, pooling: limitPooling(model.pooling, rights) };
}

function limitGenerationModel(model: GenerationModel, rights: ModelRights): GenerationModel {
  const { kind, alias, createdAt, texts, endReasoning, slots, adapters, embeddings } = model;
  return {
    kind,
    alias,
    createdAt,
    texts,
    endReasoning,
    slots,
    generations: limitGenerations(model.generations, rights),
    adapters: {
      get list() {
        return adapters.list.filter(({ name }) => isPermitted(rights.adapters, name));
      },
      get defaults() {
        return adapters.defaults;
      },
      change: (change) => adapters.change(change),
      useByDefault: (choices) => adapters.useByDefault(choices),
    },
    ...(embeddings && {
      embeddings: { ...embeddings, pooling: limitPooling(embeddings.pooling, rights) },
    }),
    get engine() {
      return limitContext(model.engine, rights);
    },
    get statistics() {
      return model.statistics;
    },
  };
}

/** Describes the engine with the context that the key's requests have. */
function limitContext(
  description: EngineDescription,
  { maxContext = Number.POSITIVE_INFINITY }: ModelRights,
): EngineDescription {
  const { model } = description;
  if (model.contextSize <= maxContext) return description;
  return { ...description, model: { ...model, contextSize: maxContext } };
}

function limitGenerations(service: GenerationService, rights: ModelRights): GenerationService {
  return {
    submit: async (requests, caller) =>
      service.submit(
        requests.map((request) => limitRequest(request, rights)),
        caller,
      ),
    countTokens: (request, caller) => service.countTokens(request, caller),
  };
}

function limitPooling(service: PoolingService, { maxContext }: ModelRights): PoolingService {
  if (maxContext === undefined) return service;
  return {
    pool: (request, caller) => service.pool({ ...request, maxInputTokens: maxContext }, caller),
  };
}

/**
 * Applies the limits of a key to a request. A request without a limit of tokens or without a
 * priority gets what the key permits; `Infinity`, which asks for as many tokens as fit, too.
 * @throws {GgufdError} `invalid_request`: the request asks for more than the key permits
 */
export function limitRequest(
  request: GenerationRequest,
  { maxContext, maxTokens: ceiling, priorityCeiling }: ModelRights,
): GenerationRequest {
  const { stopping, priority } = request;
  const { maxTokens = Number.POSITIVE_INFINITY, maxTokensField = "max_tokens" } = stopping;
  if (ceiling !== undefined && Number.isFinite(maxTokens) && maxTokens > ceiling) {
    throw createLimitError(maxTokensField, `at most ${ceiling}`, maxTokens);
  }
  if (priorityCeiling !== undefined && priority !== undefined && priority < priorityCeiling) {
    throw createLimitError("priority", `at least ${priorityCeiling}`, priority);
  }
  return {
    ...request,
    ...(maxContext !== undefined && { maxContext }),
    ...(ceiling !== undefined && { stopping: { ...stopping, maxTokensCeiling: ceiling } }),
    ...(priorityCeiling !== undefined && {
      priority: priority ?? Math.max(0, priorityCeiling),
    }),
  };
}

function createLimitError(field: string, expected: string, got: number) {
  const reason = `expected ${expected}, the limit of the API key, got ${got}`;
  return createRefusal("invalid_request", [{ field, reason }]);
}
