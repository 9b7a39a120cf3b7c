import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { basename } from "node:path";
import { childrenOf } from "./server-processes.js";

/** Library that computes on the CPU. */
export interface Kernels {
  /** File name, e.g. `libggml-cpu-haswell.so`. */
  readonly file: string;
  /** SHA-256 of the file's content, hexadecimal. */
  readonly sha256: string;
}

/**
 * Finds the CPU kernels that a process or its children have loaded, from `/proc`.
 * @returns undefined if there are none: no model is loaded, the process has ended, or this is not
 *   Linux
 */
export function loadedKernels(pid: number | "self"): Kernels | undefined {
  const [path] = /\/\S*libggml-cpu\S*\.so\S*/.exec(mapsOf(pid)) ?? [];
  if (path !== undefined) return kernelsAt(path);
  if (pid === "self") return undefined;
  for (const child of childrenOf(pid)) {
    const found = loadedKernels(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** @param path symbolic links are followed, so that two links to one file give the same kernels */
export function kernelsAt(path: string): Kernels {
  const sha256 = createHash("sha256").update(readFileSync(path)).digest("hex");
  return { file: basename(realpathSync(path)), sha256 };
}

function mapsOf(pid: number | "self"): string {
  try {
    return readFileSync(`/proc/${pid}/maps`, "utf8");
  } catch {
    return "";
  }
}
