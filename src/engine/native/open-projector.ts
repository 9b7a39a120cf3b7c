import type { LlamaModel } from "node-llama-cpp";
import { reasonOf } from "../../core/reason-of.js";
import { StartupError } from "../../core/startup-error.js";
import type { ModelInternals } from "./addon.js";
import { ensureAddon } from "./companion/compile-addon.js";
import type { NativeCompanion } from "./companion/native-companion.js";
import { loadMediaAddon, type NativeProjector } from "./companion/native-projector.js";
import type { NativeLog } from "./native-errors.js";

export interface ProjectorOptions {
  readonly path: string;
  /** Whether it computes on a GPU, if the model's library has one. */
  readonly placement: "gpu" | "cpu";
  /** Threads that encode. */
  readonly threads: number;
  readonly log: NativeLog;
}

/**
 * Loads the projector of a model, which has to be closed before the model is freed.
 * @throws {StartupError} naming its file and the reason
 */
export async function openProjector(
  model: LlamaModel,
  companion: NativeCompanion,
  { path, placement, threads, log }: ProjectorOptions,
): Promise<NativeProjector> {
  for (const addon of ["media", "decoder"] as const) await ensureAddon(addon, log);
  try {
    const usesGpu = placement === "gpu" && model.llama.gpu !== false;
    const handle = companion.modelHandle((model as unknown as ModelInternals)._model);
    return await loadMediaAddon(companion).openProjector(handle, path, threads, usesGpu);
  } catch (error) {
    const reason = reasonOf(error).replaceAll(/\s*\n\s*/g, "; ");
    throw new StartupError(`mmproj ${path}: cannot be loaded: ${reason}`, error);
  }
}
