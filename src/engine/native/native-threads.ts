import { availableParallelism } from "node:os";
import type { ThreadCounts } from "../../core/engine.js";
import type { BatchPart } from "./token-context.js";

/**
 * Threads for an engine's native work, which runs in Node's thread pool. `one`: if consecutive batches
 * ran on different threads, they would compete with llama.cpp's own threads for cores; with two cores a
 * token took up to twice as long. `several`: where a GPU computes everything but sampling, samplers run
 * side by side.
 */
export type NativeThreads = "one" | "several";

/** Read by Node when the pool is first used: only a new process can have another size. */
const POOL_SIZE = "UV_THREADPOOL_SIZE";
/** More samplers side by side than this wait for memory, not for cores. */
const MAX_THREADS = 8;

/** The environment of an engine process. */
export function poolEnvironment(nativeThreads: NativeThreads): Readonly<Record<string, string>> {
  const several = Math.min(MAX_THREADS, availableParallelism());
  return { [POOL_SIZE]: nativeThreads === "one" ? "1" : String(several) };
}

/** What a process with this environment has. */
export function nativeThreadsOf(environment: NodeJS.ProcessEnv): NativeThreads {
  return environment[POOL_SIZE] === "1" ? "one" : "several";
}

/** Threads that draw from rows of logits side by side, at most. */
export function drawingThreads(): number {
  return Math.min(MAX_THREADS, availableParallelism());
}

/** Fewer tokens than this are bounded by memory, whatever they are evaluated for. */
const MIN_PREFILL_TOKENS = 16;

/**
 * Computing threads for a batch. Decoding reads all weights for a few tokens: once the memory's
 * bandwidth is used up, more threads only wait for each other. A prompt keeps all of them busy.
 * llama.cpp itself takes its second number for any sub-batch of more than one token, several sequences
 * that decode included.
 */
export function threadsFor(
  parts: readonly Pick<BatchPart, "tokens">[],
  { decode, prefill }: ThreadCounts,
): number {
  const tokens = parts.reduce((sum, part) => sum + part.tokens.length, 0);
  return tokens >= MIN_PREFILL_TOKENS && tokens > 2 * parts.length ? prefill : decode;
}
