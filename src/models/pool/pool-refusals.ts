import {
  createRefusal,
  GgufdError,
  shortenName,
  toClientError,
  toRetryAfterSeconds,
} from "../../core/errors.js";
import { formatBinaryUnits, type MemoryUse } from "../../core/memory-use.js";
import { findSimilar } from "../../core/nearest.js";
import { StartupError } from "../../core/startup-error.js";
import { listNames, type NameableModel, namesOf } from "./pooled-names.js";

/**
 * Error of requests for a model that does not exist; suggests the most similar name.
 * @param models models that requests can name
 * @param names whether the error lists the names of all models
 */
export function createUnknownModelError(
  name: string,
  models: readonly NameableModel[],
  names: "listed" | "unlisted" = "unlisted",
): GgufdError {
  const similar = findSimilar(name, namesOf(models));
  const reasons = [
    `The model \`${shortenName(name)}\` does not exist`,
    ...(similar === undefined ? [] : [`the nearest name is \`${similar}\``]),
    ...(names === "listed" ? [`this server serves ${listNames(models)}`] : []),
  ];
  return new GgufdError("model_not_found", `${reasons.join("; ")}.`, { param: "model" });
}

/**
 * Error of requests that name no suitable model while the server has no default model.
 * @param name model of the request; `undefined`: none
 */
export function createNameExpectedError(
  name: string | undefined,
  models: readonly NameableModel[],
): GgufdError {
  const got = name === undefined ? "none" : `\`${shortenName(name)}\``;
  const reason = `expected ${listNames(models)}, because this server has no default model, got ${got}`;
  return createRefusal("invalid_request", [{ field: "model", reason }]);
}

/** Error of requests for a model whose engine process is restarted after it exited. */
export function createRestartingError(alias: string, retryAfterSeconds: number): GgufdError {
  const message = `The model \`${alias}\` is restarting because its process exited.`;
  return new GgufdError("model_unavailable", message, { retryAfterSeconds });
}

/** Error of requests that wait for a model when it is unloaded by request. */
export function createLoadingCancelledError(alias: string): GgufdError {
  const message = `Loading \`${alias}\` was cancelled by an unload request.`;
  return new GgufdError("model_unavailable", message);
}

/**
 * Error of requests whose model could not be loaded. The reason names files of the server, so it is
 * only logged.
 * @param retryAfterMs time after which the load is tried again, in milliseconds
 */
export function createLoadingFailedError(
  alias: string,
  error: unknown,
  retryAfterMs: number,
): GgufdError {
  if (!(error instanceof StartupError)) return toClientError(error);
  const message = `The model \`${alias}\` cannot be loaded; see the server's log.`;
  const retryAfterSeconds = retryAfterMs / 1000;
  return new GgufdError("model_unavailable", message, { retryAfterSeconds, cause: error });
}

/** Error of requests that wait for a model when it is removed. */
export function createModelRemovedError(alias: string): GgufdError {
  return new GgufdError("model_not_found", `The model \`${alias}\` was removed.`, {
    param: "model",
  });
}

/** Error of a model that cannot fit, even if all other models that may be evicted are unloaded. */
export function createTooLargeError(
  alias: string,
  neededMemory: MemoryUse,
  available: MemoryUse,
): GgufdError {
  const reason = `expected a model that fits into the memory budget, got \`${alias}\`, which needs ${describeMemory(neededMemory)}; available: ${describeMemory(available)} (--memory-budget)`;
  return createRefusal("invalid_request", [{ field: "model", reason }]);
}

/** Error of a model that cannot be loaded because as many as may be loaded are pinned. */
export function createTooManyPinnedError(alias: string, maxModels: number): GgufdError {
  const reason = `expected a loaded model, because all ${maxModels} that may be loaded are pinned (--models-max), got \`${alias}\``;
  return createRefusal("invalid_request", [{ field: "model", reason }]);
}

/** Error of requests for a model that only an explicit load loads. */
export function createNotLoadedError(alias: string): GgufdError {
  const reason = `expected a loaded model, because requests load none (--no-models-autoload), got \`${alias}\``;
  return createRefusal("invalid_request", [{ field: "model", reason }]);
}

interface FullQueue {
  readonly waiting: number;
  readonly maxWaiting: number;
  /** Estimated time to load all queued models, in milliseconds. */
  readonly queueMs: number;
}

export function createFullQueueError({ waiting, maxWaiting, queueMs }: FullQueue): GgufdError {
  const message = `The server is overloaded: ${waiting} requests are already waiting for models that are not loaded (at most ${maxWaiting} allowed).`;
  return new GgufdError("server_overloaded", message, {
    retryAfterSeconds: toRetryAfterSeconds(queueMs),
  });
}

interface LongWait extends Pick<FullQueue, "queueMs"> {
  readonly alias: string;
  readonly waitingLimitMs: number;
}

export function createQueueTimeoutError({ alias, waitingLimitMs, queueMs }: LongWait): GgufdError {
  const message = `The model \`${alias}\` was not loaded within ${waitingLimitMs / 1000} s (--queue-timeout).`;
  return new GgufdError("queue_timeout", message, {
    retryAfterSeconds: toRetryAfterSeconds(queueMs),
  });
}

function describeMemory({ cpuBytes, gpuBytes }: MemoryUse): string {
  const main = `${formatBinaryUnits(cpuBytes)} of main memory`;
  return gpuBytes === 0 ? main : `${main} and ${formatBinaryUnits(gpuBytes)} of GPU memory`;
}
