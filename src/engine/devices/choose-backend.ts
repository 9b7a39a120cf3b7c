import assert from "node:assert/strict";
import { inBinaryUnits } from "../../core/memory-use.js";
import type { MachineMemory } from "../memory/machine-memory.js";
import type { MemorySettings, ModelParts } from "../memory/memory-plan.js";
import { ensureAddon } from "../native/companion/compile-addon.js";
import {
  type Backend,
  type BackendChoice,
  backendTitles,
  type GpuBackend,
  type GpuChoice,
  loadBackend,
  NO_DEVICE,
  supportedBackends,
} from "../native/llama-backend.js";
import type { NativeLog } from "../native/native-errors.js";
import { type BackendProbe, type ProbedModel, probeBackend } from "./backend-probe.js";

/** A loaded library, and what was passed over for it. */
export interface OpenedBackend {
  readonly llama: Backend;
  readonly passedOver: readonly PassedOver[];
}

/**
 * Loads the native library for a model, as {@link loadBackend} does; with `--gpu auto` that of the best device which
 * has room for it.
 * @throws {StartupError} when the requested GPU is not available
 */
export async function openBackend(
  gpu: GpuChoice,
  model: ProbedModel | undefined,
  log: NativeLog,
): Promise<OpenedBackend> {
  await ensureAddon("companion", log);
  if (gpu !== "auto") return { llama: await loadBackend({ gpu, log }), passedOver: [] };
  const chosen = await chooseBackend(await supportedBackends(), (backend) =>
    probeBackend({ backend, model }),
  );
  for (const one of chosen.passedOver) log("info", describePassedOver(one));
  const { passedOver } = chosen;
  return { llama: await loadBackend({ gpu: chosen.gpu, log }), passedOver };
}

/**
 * Loads the library of the CPU, where a model is going to compute with no other, so that {@link openBackend} finds it
 * loaded. One of a GPU would take memory there for nothing. Never rejects: who needs it is told.
 */
export async function openBackendAhead(gpu: GpuChoice): Promise<void> {
  const candidates = gpu === "auto" ? await supportedBackends() : [gpu];
  if (candidates.some((candidate) => candidate !== "off")) return;
  await loadBackend({ gpu: "off", log: () => undefined }).catch(() => undefined);
}

/** A backend that `--gpu auto` does not use, and why. Plain data. */
export interface PassedOver {
  readonly backend: GpuBackend;
  readonly reason: string;
  /** `device`: there is none, which does not change. `other`: this model, or the library, has no use of it. */
  readonly lacks: "device" | "other";
}

/** What `--gpu auto` has come to. Plain data. */
export interface ChosenBackend {
  readonly gpu: BackendChoice;
  /** Better ones that were tried, in that order. */
  readonly passedOver: readonly PassedOver[];
}

/**
 * Chooses the first backend that has a device with room for the model. The last candidate is chosen without being
 * tried, as nothing is left beside it: on most machines there is only the CPU.
 * @param candidates the best first, at least one
 */
export async function chooseBackend(
  candidates: readonly BackendChoice[],
  probe: (backend: GpuBackend) => Promise<BackendProbe>,
): Promise<ChosenBackend> {
  assert(candidates.length > 0, "without a GPU there is the CPU");
  const passedOver: PassedOver[] = [];
  for (const gpu of candidates.slice(0, -1)) {
    const obstacle = gpu === "off" ? undefined : obstacleOf(gpu, await probe(gpu));
    if (obstacle === undefined) return { gpu, passedOver };
    passedOver.push(obstacle);
  }
  return { gpu: candidates.at(-1) ?? "off", passedOver };
}

/** `Vulkan is not used: it found no GPU` */
export function describePassedOver({ backend, reason }: PassedOver): string {
  return `${backendTitles[backend]} is not used: ${reason}`;
}

/** Why a backend is of no use; `undefined`: it is. */
function obstacleOf(backend: GpuBackend, probe: BackendProbe): PassedOver | undefined {
  if (probe.state === "failed") return { backend, reason: probe.reason, lacks: "other" };
  if (probe.devices.length === 0) return { backend, reason: NO_DEVICE[backend], lacks: "device" };
  return probe.obstacle === undefined
    ? undefined
    : { backend, reason: probe.obstacle, lacks: "other" };
}

/** Whether it is known that no GPU of this machine is of use to any model, as each was looked for and none found. */
export function foundNoGpu(passedOver: readonly PassedOver[]): boolean {
  return passedOver.length > 0 && passedOver.every(({ lacks }) => lacks === "device");
}

/**
 * Why a model that was planned for a device should be computed on the CPU; `undefined`: there is no reason to. Who
 * says how many layers go to a GPU wants them there, and is told if they do not fit.
 */
export function deviceObstacle(
  { gpuLayers: configured }: Pick<MemorySettings, "gpuLayers">,
  { gpuLayers }: Pick<ModelParts, "gpuLayers">,
  { free }: Pick<MachineMemory, "free">,
): string | undefined {
  if (configured !== "auto" || gpuLayers > 0) return undefined;
  return `${inBinaryUnits(free.gpuBytes)} of its memory are free, in which no layer of the model fits`;
}
