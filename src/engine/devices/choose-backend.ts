import assert from "node:assert/strict";
import { formatBinaryUnits } from "../../core/memory-use.js";
import type { MachineMemory } from "../memory/machine-memory.js";
import type { MemorySettings, ModelParts } from "../memory/memory-plan.js";
import { ensureAddon } from "../native/companion/compile-addon.js";
import {
  type Backend,
  type BackendChoice,
  backendTitles,
  type GpuBackend,
  type GpuChoice,
  listSupportedBackends,
  loadBackend,
  NO_DEVICE,
} from "../native/llama-backend.js";
import type { NativeLog } from "../native/native-errors.js";
import { type BackendProbe, type ProbedModel, probeBackend } from "./backend-probe.js";
import { connectWorkers } from "./connect-workers.js";

/** A loaded library, and the backends that were rejected in its favour. */
export interface OpenedBackend {
  readonly llama: Backend;
  readonly rejectedBackends: readonly RejectedBackend[];
}

/**
 * Loads the native library for a model, as {@link loadBackend} does, and connects to the model's
 * workers; with `--gpu auto`, the library of the best device with room for the model.
 * @throws {StartupError} the requested GPU is not available
 * @throws {WorkerError} a worker cannot be used
 */
export async function openBackend(
  gpu: GpuChoice,
  model: ProbedModel | undefined,
  log: NativeLog,
): Promise<OpenedBackend> {
  await ensureAddon("companion", log);
  const opened = await openLibrary(gpu, model, log);
  await connectWorkers(opened.llama, model?.settings.placement.workers, log);
  return opened;
}

async function openLibrary(
  gpu: GpuChoice,
  model: ProbedModel | undefined,
  log: NativeLog,
): Promise<OpenedBackend> {
  if (gpu !== "auto") return { llama: await loadBackend({ gpu, log }), rejectedBackends: [] };
  const choice = await chooseBackend(await listSupportedBackends(), (backend) =>
    probeBackend({ backend, model }),
  );
  for (const one of choice.rejectedBackends) log("info", describeRejectedBackend(one));
  const { rejectedBackends } = choice;
  return { llama: await loadBackend({ gpu: choice.gpu, log }), rejectedBackends };
}

/**
 * Loads the CPU library if it is the only candidate, so that a later {@link openBackend} finds it
 * loaded. A GPU library would occupy GPU memory unnecessarily. Never rejects; {@link openBackend}
 * reports errors.
 */
export async function preloadCpuBackend(gpu: GpuChoice): Promise<void> {
  const candidates = gpu === "auto" ? await listSupportedBackends() : [gpu];
  if (candidates.some((candidate) => candidate !== "off")) return;
  await loadBackend({ gpu: "off", log: () => undefined }).catch(() => undefined);
}

/** A backend that `--gpu auto` rejected, and why. Plain data. */
export interface RejectedBackend {
  readonly backend: GpuBackend;
  readonly reason: string;
  /**
   * `device`: the backend found no device, which rules it out for every model. `other`: the probe
   * failed, or the model cannot use the devices.
   */
  readonly lacks: "device" | "other";
}

/** The backend selected by `--gpu auto`. Plain data. */
export interface ChosenBackend {
  readonly gpu: BackendChoice;
  /** Better backends that were probed and rejected, in order. */
  readonly rejectedBackends: readonly RejectedBackend[];
}

/**
 * Selects the first backend that has a device with room for the model. The last candidate is
 * selected without a probe, as there is no alternative: on most machines there is only the CPU.
 * @param candidates backends, best first; at least one
 */
export async function chooseBackend(
  candidates: readonly BackendChoice[],
  probe: (backend: GpuBackend) => Promise<BackendProbe>,
): Promise<ChosenBackend> {
  assert(candidates.length > 0, "no backend to choose from");
  const rejectedBackends: RejectedBackend[] = [];
  for (const gpu of candidates.slice(0, -1)) {
    const obstacle = gpu === "off" ? undefined : findBackendObstacle(gpu, await probe(gpu));
    if (obstacle === undefined) return { gpu, rejectedBackends };
    rejectedBackends.push(obstacle);
  }
  return { gpu: candidates.at(-1) ?? "off", rejectedBackends };
}

/** Formats a rejected backend, e.g. `Vulkan is not used: it found no GPU`. */
export function describeRejectedBackend({ backend, reason }: RejectedBackend): string {
  return `${backendTitles[backend]} is not used: ${reason}`;
}

/** Returns why a backend cannot be used; `undefined` if it can. */
function findBackendObstacle(
  backend: GpuBackend,
  probe: BackendProbe,
): RejectedBackend | undefined {
  if (probe.state === "failed") return { backend, reason: probe.reason, lacks: "other" };
  if (probe.devices.length === 0) return { backend, reason: NO_DEVICE[backend], lacks: "device" };
  return probe.obstacle === undefined
    ? undefined
    : { backend, reason: probe.obstacle, lacks: "other" };
}

/**
 * Returns whether no GPU of this machine can serve any model: all backends were probed, and none
 * found a device.
 */
export function foundNoGpu(rejectedBackends: readonly RejectedBackend[]): boolean {
  return rejectedBackends.length > 0 && rejectedBackends.every(({ lacks }) => lacks === "device");
}

/**
 * Returns the reason why a model planned for a device should use the CPU instead; `undefined` if
 * there is none. A configured number of GPU layers is never overridden; loading fails if they do
 * not fit.
 */
export function findDeviceObstacle(
  { gpuLayers: configured }: Pick<MemorySettings, "gpuLayers">,
  { gpuLayers }: Pick<ModelParts, "gpuLayers">,
  { free }: Pick<MachineMemory, "free">,
): string | undefined {
  if (configured !== "auto" || gpuLayers > 0) return undefined;
  return `no layer of the model fits into its ${formatBinaryUnits(free.gpuBytes)} of free memory`;
}
