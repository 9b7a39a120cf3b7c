import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { cpus, homedir } from "node:os";
import { dirname, join } from "node:path";
import type { NativeBuild } from "../../core/engine.js";
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
  /** Layers that are computed on the GPU. */
  readonly gpuLayers: number;
}

/** The key of a calibration in the cache file. */
export function calibrationKey(scope: CalibrationScope): string {
  const { cores, build, modelFingerprint, device, gpuLayers } = scope;
  const processor = cpus()[0]?.model ?? "unknown";
  const loads = CALIBRATED_LOADS.join("+");
  const method = `v2 ${loads}`;
  return [processor, cores, build, method, device, gpuLayers, modelFingerprint].join("|");
}

/** The cached number of threads; `undefined` when there is none. */
export function readCalibration(file: string, key: string): number | undefined {
  const threads = readAll(file)[key];
  return typeof threads === "number" && Number.isInteger(threads) && threads > 0
    ? threads
    : undefined;
}

/** Caches the number of threads. A cache file that cannot be written is ignored. */
export function writeCalibration(file: string, key: string, threads: number): void {
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
