import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { cpus, homedir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { NativeBuild, ThreadCounts } from "../../core/engine.js";
import { CALIBRATED_LOADS } from "./thread-calibration.js";

/** `$XDG_CACHE_HOME/ggufd/threads.json`, by default in the home directory's `.cache`. */
export function calibrationFile(environment: NodeJS.ProcessEnv = process.env): string {
  const folder = environment.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(folder, "ggufd", "threads.json");
}

/** What a calibration is valid for, besides this processor. */
export interface CalibrationScope {
  /** Cores in use. */
  readonly cores: number;
  /** The local build uses OpenMP, whose threads synchronise differently. */
  readonly build: NativeBuild;
  readonly modelFingerprint: string;
  /** What computes, e.g. `CPU` or `CUDA (NVIDIA A10)`. */
  readonly device: string;
  /** Bytes of the model's weights that are on a GPU: its layers, without what stays in main memory. */
  readonly gpuWeightBytes: number;
}

/** The key of a calibration in the cache file. */
export function calibrationKey(scope: CalibrationScope): string {
  const { cores, build, modelFingerprint, device, gpuWeightBytes } = scope;
  const processor = cpus()[0]?.model ?? "unknown";
  const loads = CALIBRATED_LOADS.join("+");
  const method = `v3 ${loads}`;
  return [processor, cores, build, method, device, gpuWeightBytes, modelFingerprint].join("|");
}

const threadCounts = z.object({ decode: z.int().positive(), prefill: z.int().positive() });

/** The cached numbers of threads; `undefined` when there are none. */
export function readCalibration(file: string, key: string): ThreadCounts | undefined {
  return threadCounts.safeParse(readAll(file)[key]).data;
}

/** Caches the numbers of threads. A cache file that cannot be written is ignored. */
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

/** An unreadable or damaged file counts as empty. */
function readAll(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
