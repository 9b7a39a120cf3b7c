import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { cpus, homedir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { NativeBuild, Offloading, ThreadCounts } from "../../core/engine.js";
import { readCpuTopology } from "./cpu-topology.js";
import { CALIBRATED_LOADS, calibrateThreads, type ThreadedContext } from "./thread-calibration.js";

/** Configured counts of compute threads. */
export interface ThreadSettings {
  /** Threads for decoding. */
  readonly threads: number | "auto";
  /** Threads for prompts; `auto` uses the decoding threads if those are configured. */
  readonly threadsBatch: number | "auto";
}

/** Model and device that the threads compute for. */
type ThreadScope = Omit<CalibrationScope, "cores"> & { readonly offloading: Offloading };

/** Maximum threads for a model computed entirely by the GPU, which leaves them little to do. */
const MAX_THREADS_WITH_GPU = 4;

/**
 * Sets the configured thread counts, or else the calibrated ones, which are cached. With all layers
 * on a GPU there is no calibration.
 */
export async function chooseThreads(
  context: ThreadedContext,
  { threads, threadsBatch }: ThreadSettings,
  scope: ThreadScope,
): Promise<ThreadCounts> {
  const decode =
    threads === "auto" ? await findBestThreads(context, scope) : createEqualCounts(threads);
  const chosenCounts = threadsBatch === "auto" ? decode : { ...decode, prefill: threadsBatch };
  context.setThreads(chosenCounts);
  return chosenCounts;
}

/**
 * Returns the compute threads of a pooling model. All of its inputs are evaluated like prompts,
 * which keeps cores busy.
 */
export function choosePoolingThreads(
  { threads, threadsBatch }: ThreadSettings,
  offloading: Offloading,
): number {
  if (threadsBatch !== "auto") return threadsBatch;
  if (threads !== "auto") return threads;
  const { performanceCores } = readCpuTopology();
  return offloading === "all-layers"
    ? Math.min(performanceCores, MAX_THREADS_WITH_GPU)
    : performanceCores;
}

async function findBestThreads(
  context: ThreadedContext,
  scope: ThreadScope,
): Promise<ThreadCounts> {
  const topology = readCpuTopology();
  if (scope.offloading === "all-layers") {
    return createEqualCounts(Math.min(topology.performanceCores, MAX_THREADS_WITH_GPU));
  }
  const file = findCalibrationFile();
  const key = buildCalibrationKey({ ...scope, cores: topology.logicalCores });
  const cachedCounts = readCalibration(file, key);
  if (cachedCounts !== undefined) return cachedCounts;
  const calibratedCounts = await calibrateThreads({
    context,
    topology,
    now: () => performance.now(),
  });
  writeCalibration(file, key, calibratedCounts);
  return calibratedCounts;
}

function createEqualCounts(threads: number): ThreadCounts {
  return { decode: threads, prefill: threads };
}

/**
 * Returns the calibration file: `$XDG_CACHE_HOME/ggufd/threads.json`, by default under `~/.cache`.
 */
export function findCalibrationFile(environment: NodeJS.ProcessEnv = process.env): string {
  const folder = environment.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(folder, "ggufd", "threads.json");
}

/** Conditions for which a calibration is valid, in addition to the processor. */
interface CalibrationScope {
  /** Logical cores available to the process. */
  readonly cores: number;
  /** Build of the native library. A local one uses OpenMP: its threads synchronise differently. */
  readonly build: NativeBuild;
  readonly modelFingerprint: string;
  /** The compute device, e.g. `CPU` or `CUDA (NVIDIA A10)`. */
  readonly device: string;
  /**
   * Bytes of the model's weights on a GPU: those of its layers, without tensors that stay in main
   * memory.
   */
  readonly gpuWeightBytes: number;
}

/** Returns the key of a calibration in the cache file. */
export function buildCalibrationKey(scope: CalibrationScope): string {
  const { cores, build, modelFingerprint, device, gpuWeightBytes } = scope;
  const processor = cpus()[0]?.model ?? "unknown";
  const loadNames = CALIBRATED_LOADS.join("+");
  const method = `v3 ${loadNames}`;
  return [processor, cores, build, method, device, gpuWeightBytes, modelFingerprint].join("|");
}

const threadCounts = z.object({ decode: z.int().positive(), prefill: z.int().positive() });

/** Reads the cached thread counts; `undefined` if there are none. */
export function readCalibration(file: string, key: string): ThreadCounts | undefined {
  return threadCounts.safeParse(readAll(file)[key]).data;
}

/** Caches the thread counts. Write errors are ignored. */
export function writeCalibration(file: string, key: string, threads: ThreadCounts): void {
  const temporary = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(temporary, `${JSON.stringify({ ...readAll(file), [key]: threads }, null, 1)}\n`);
    renameSync(temporary, file);
  } catch {
    return;
  }
}

/** Reads the cache file; an unreadable or damaged one counts as empty. */
function readAll(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
