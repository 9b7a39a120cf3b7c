/** Entry point of a process that probes a backend: one question, one answer. */

import { formatReason } from "../../core/format-reason.js";
import { NO_MEMORY } from "../../core/memory-use.js";
import { StartupError } from "../../core/startup-error.js";
import { planModels } from "../loading/planned-models.js";
import { planPoolingModel } from "../loading/planned-pooling-model.js";
import { readMachineMemory, withoutOtherModels } from "../memory/machine-memory.js";
import { attachCompanion } from "../native/companion/attach-companion.js";
import { type Backend, loadLibrary } from "../native/llama-backend.js";
import type { BackendProbe, FoundDevice, ProbedModel, ProbeRequest } from "./backend-probe.js";
import { findDeviceObstacle } from "./choose-backend.js";
import { connectWorkers } from "./connect-workers.js";

process.title = "ggufd devices";
// Signals keep their default handlers, which also end a process that hangs in a driver.
process.on("disconnect", () => process.exit(0));
process.once("message", async (question: ProbeRequest) => {
  const probe = await answer(question);
  process.send?.(probe, () => process.exit(0));
});

async function answer({ backend, model }: ProbeRequest): Promise<BackendProbe> {
  try {
    const llama = await loadLibrary({ gpu: backend, log: () => undefined });
    const devices = await listGpuDevices(llama);
    if (devices.length === 0 || model === undefined) return { state: "loaded", devices };
    await connectWorkers(llama, model.settings.placement.workers, () => undefined);
    return { state: "loaded", devices, obstacle: await findModelObstacle(llama, model) };
  } catch (error) {
    return { state: "failed", reason: formatReason(error) };
  }
}

async function listGpuDevices(llama: Backend): Promise<readonly FoundDevice[]> {
  const companion = await attachCompanion(llama);
  return companion
    .devices()
    .filter(({ isGpu }) => isGpu)
    .map(({ name, description, freeBytes, totalBytes }) => ({
      name,
      description,
      memory: { freeBytes, totalBytes },
    }));
}

/**
 * Returns the reason why a model cannot use the devices. Errors in planning the model are ignored
 * here; loading reports them.
 */
async function findModelObstacle(llama: Backend, model: ProbedModel): Promise<string | undefined> {
  const memory = await readMachineMemory(llama, model.settings.placement);
  try {
    if (model.kind === "pooling") {
      const { plan } = await planPoolingModel(llama, model.settings, memory);
      return findDeviceObstacle(model.settings, plan.model, memory);
    }
    const { settings } = model;
    const remaining = withoutOtherModels(settings.otherModelsMemory ?? NO_MEMORY, memory);
    const { plan } = await planModels(llama, settings, remaining);
    return findDeviceObstacle(settings, plan.main, memory);
  } catch (error) {
    if (error instanceof StartupError) return undefined;
    throw error;
  }
}
