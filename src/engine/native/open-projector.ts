import type { LlamaModel } from "node-llama-cpp";
import { formatReason } from "../../core/format-reason.js";
import { StartupError } from "../../core/startup-error.js";
import type { ModelInternals } from "./addon.js";
import { ensureAddon } from "./companion/compile-addon.js";
import type { NativeCompanion } from "./companion/native-companion.js";
import { loadMediaAddon, type NativeProjector } from "./companion/native-projector.js";
import type { NativeLog } from "./native-errors.js";

export interface ProjectorOptions {
  readonly model: LlamaModel;
  readonly companion: NativeCompanion;
  readonly path: string;
  /** Whether the projector computes on a GPU, if the model's library has one. */
  readonly placement: "gpu" | "cpu";
  /** Number of threads that encode. */
  readonly threads: number;
  readonly log: NativeLog;
}

/**
 * Loads a model's projector, which must be closed before the model is freed.
 * @throws {StartupError} names the file and the reason
 */
export async function openProjector({
  model,
  companion,
  path,
  placement,
  threads,
  log,
}: ProjectorOptions): Promise<NativeProjector> {
  for (const addon of ["media", "decoder"] as const) await ensureAddon(addon, log);
  try {
    const usesGpu = placement === "gpu" && model.llama.gpu !== false;
    const handle = companion.modelHandle((model as unknown as ModelInternals)._model);
    return await loadMediaAddon(companion).openProjector(handle, path, threads, usesGpu);
  } catch (error) {
    const reason = formatReason(error).replaceAll(/\s*\n\s*/g, "; ");
    throw new StartupError(`mmproj ${path}: cannot be loaded: ${reason}`, error);
  }
}
