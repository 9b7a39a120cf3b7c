import { availableParallelism } from "node:os";
import type { ThreadCounts } from "../../core/engine.js";
import type { BatchPart } from "./token-context.js";

/**
 * Threads for an engine's native work, which runs in Node's thread pool. `one`: consecutive batches
 * on different threads would compete with llama.cpp's own threads for cores; with two cores a token
 * took up to twice as long. `several`: a GPU computes everything but sampling, and samplers run in
 * parallel.
 */
export type NativeThreads = "one" | "several";

/**
 * Node reads this variable when the pool is first used, so only a new process can have another
 * size.
 */
const POOL_SIZE = "UV_THREADPOOL_SIZE";
/** More parallel samplers than this wait for memory, not for cores. */
const MAX_THREADS = 8;

/** Returns the environment variables of an engine process. */
export function buildPoolEnvironment(
  nativeThreads: NativeThreads,
): Readonly<Record<string, string>> {
  const threadCount = Math.min(MAX_THREADS, availableParallelism());
  return { [POOL_SIZE]: nativeThreads === "one" ? "1" : String(threadCount) };
}

/**
 * Environment variables of the process of a pooling model, which computes up to two batches at the
 * same time. Each thread of glibc has its own arena by default; they keep 30 to 40 MB that
 * llama.cpp frees for the next shape of a batch.
 */
export const POOLING_ENVIRONMENT: Readonly<Record<string, string>> = {
  [POOL_SIZE]: "2",
  MALLOC_ARENA_MAX: "2",
};

/** Reads the setting from the environment of a process. */
export function readNativeThreads(environment: NodeJS.ProcessEnv): NativeThreads {
  return environment[POOL_SIZE] === "1" ? "one" : "several";
}

/** Returns the maximum number of threads that draw from rows of logits in parallel. */
export function countDrawingThreads(): number {
  return Math.min(MAX_THREADS, availableParallelism());
}

/** Batches of fewer tokens are bound by memory bandwidth, whether they decode or prefill. */
const MIN_PREFILL_TOKENS = 16;

/**
 * Returns the number of compute threads for a batch. Decoding reads all weights for a few tokens:
 * once the memory bandwidth is exhausted, more threads only wait for each other. A prompt keeps all
 * of them busy. llama.cpp itself would use its prefill count for any sub-batch of more than one
 * token, including several decoding sequences.
 */
export function chooseBatchThreads(
  parts: readonly Pick<BatchPart, "tokens">[],
  { decode, prefill }: ThreadCounts,
): number {
  const tokens = parts.reduce((sum, part) => sum + part.tokens.length, 0);
  return tokens >= MIN_PREFILL_TOKENS && tokens > 2 * parts.length ? prefill : decode;
}
