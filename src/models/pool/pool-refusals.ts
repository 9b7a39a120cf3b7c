import { GgufdError, type GgufdErrorOptions, refusalOf, retryAfterIn } from "../../core/errors.js";
import { inBinaryUnits, type MemoryUse } from "../../core/memory-use.js";

export function unavailable(
  alias: string,
  reason: string,
  options: GgufdErrorOptions = {},
): GgufdError {
  return new GgufdError("model_unavailable", `The model \`${alias}\` ${reason}.`, options);
}

/** Error of requests that wait for a model when it is removed. */
export function wasRemoved(alias: string): GgufdError {
  return new GgufdError("model_not_found", `The model \`${alias}\` was removed.`, {
    param: "model",
  });
}

/** Error of a model that cannot fit, even if all other models that may be evicted are unloaded. */
export function tooLarge(alias: string, wanted: MemoryUse, available: MemoryUse): GgufdError {
  const reason = `expected a model that fits into the memory for models, got \`${alias}\`, which takes ${described(wanted)}; there is ${described(available)} (--memory-budget)`;
  return refusalOf("invalid_request", [{ field: "model", reason }]);
}

interface FullLine {
  readonly waiting: number;
  readonly maxWaiting: number;
  /** Estimated time to load all queued models, in milliseconds. */
  readonly lineMs: number;
}

export function tooManyWait({ waiting, maxWaiting, lineMs }: FullLine): GgufdError {
  const message = `The server is overloaded: ${waiting} requests are already waiting for models that are not loaded (at most ${maxWaiting} allowed).`;
  return new GgufdError("server_overloaded", message, {
    retryAfterSeconds: retryAfterIn(lineMs),
  });
}

interface LongWait extends Pick<FullLine, "lineMs"> {
  readonly alias: string;
  readonly waitingLimitMs: number;
}

export function waitedTooLong({ alias, waitingLimitMs, lineMs }: LongWait): GgufdError {
  const message = `The request waited for ${waitingLimitMs / 1000} s (--queue-timeout), and the model \`${alias}\` was not loaded.`;
  return new GgufdError("queue_timeout", message, {
    retryAfterSeconds: retryAfterIn(lineMs),
  });
}

function described({ cpuBytes, gpuBytes }: MemoryUse): string {
  const main = `${inBinaryUnits(cpuBytes)} of main memory`;
  return gpuBytes === 0 ? main : `${main} and ${inBinaryUnits(gpuBytes)} of the GPU's`;
}
