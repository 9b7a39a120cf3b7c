import type { LlamaModel } from "node-llama-cpp";
import { reasonOf } from "../../core/reason-of.js";
import { StartupError } from "../../core/startup-error.js";
import type { ModelInternals } from "./addon.js";
import type { Companion } from "./companion/attach-companion.js";
import { loadMediaAddon, type NativeProjector } from "./companion/native-projector.js";

export interface ProjectorOptions {
  readonly path: string;
  /** Whether it computes on a GPU, if the model's library has one. */
  readonly placement: "gpu" | "cpu";
  /** Threads that encode. */
  readonly threads: number;
}

/**
 * Loads the projector of a model, which has to be closed before the model is freed.
 * @throws {StartupError} naming its file and the reason
 */
export async function openProjector(
  model: LlamaModel,
  companion: Companion,
  { path, placement, threads }: ProjectorOptions,
): Promise<NativeProjector> {
  try {
    if (companion.state === "absent") {
      throw new Error(`the native companion is needed, which is not used: ${companion.reason}`);
    }
    const { native } = companion;
    const usesGpu = placement === "gpu" && model.llama.gpu !== false;
    const handle = native.modelHandle((model as unknown as ModelInternals)._model);
    return await loadMediaAddon(native).openProjector(handle, path, threads, usesGpu);
  } catch (error) {
    const reason = reasonOf(error).replaceAll(/\s*\n\s*/g, "; ");
    throw new StartupError(`mmproj ${path}: cannot be loaded: ${reason}`, error);
  }
}
