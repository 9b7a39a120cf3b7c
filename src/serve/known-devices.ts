import type { LoadedEngineDescription } from "../engine/engine-description.js";
import type { GpuChoice } from "../engine/native/llama-backend.js";

/**
 * Knowledge about this machine's devices. If the first loaded model has found no GPU, later models
 * skip the search, which takes a separate process and a second or two per load.
 */
export class KnownDevices {
  #gpus: "none" | "unknown" = "unknown";

  /** Records the devices that a loaded model has found. */
  note({ gpus = "unknown" }: Pick<LoadedEngineDescription, "gpus">): void {
    if (gpus === "none") this.#gpus = "none";
  }

  /**
   * Returns the GPU setting to use: `off` instead of `auto` if there is no GPU.
   * @param configured setting of the model to be loaded or planned
   */
  gpuOf(configured: GpuChoice): GpuChoice {
    return configured === "auto" && this.#gpus === "none" ? "off" : configured;
  }
}
