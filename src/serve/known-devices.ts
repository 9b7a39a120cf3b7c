import type { LoadedEngineDescription } from "../engine/engine-description.js";
import type { GpuChoice } from "../engine/native/llama-backend.js";

/**
 * What is known of this machine's devices. Where the first model that was loaded has found no GPU, none is looked for again:
 * that takes a process of its own for each load, and a second or two.
 */
export class KnownDevices {
  #gpus: "none" | "unknown" = "unknown";

  /** A model was loaded. */
  note({ gpus = "unknown" }: Pick<LoadedEngineDescription, "gpus">): void {
    if (gpus === "none") this.#gpus = "none";
  }

  /** @param configured of a model that is to be loaded or planned */
  gpuOf(configured: GpuChoice): GpuChoice {
    return configured === "auto" && this.#gpus === "none" ? "off" : configured;
  }
}
