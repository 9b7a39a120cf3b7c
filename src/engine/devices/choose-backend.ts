import {
  type BackendChoice,
  backendTitles,
  type GpuBackend,
  NO_DEVICE,
} from "../native/llama-backend.js";
import type { BackendProbe } from "./backend-probe.js";

/** A backend that `--gpu auto` does not use, and why. Plain data. */
export interface PassedOver {
  readonly backend: GpuBackend;
  readonly reason: string;
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
  const passedOver: PassedOver[] = [];
  for (const gpu of candidates.slice(0, -1)) {
    const reason = gpu === "off" ? undefined : obstacleOf(gpu, await probe(gpu));
    if (gpu === "off" || reason === undefined) return { gpu, passedOver };
    passedOver.push({ backend: gpu, reason });
  }
  return { gpu: candidates.at(-1) ?? "off", passedOver };
}

/** `Vulkan is not used: it found no GPU` */
export function describePassedOver({ backend, reason }: PassedOver): string {
  return `${backendTitles[backend]} is not used: ${reason}`;
}

/** Why a backend is of no use; `undefined`: it is. */
function obstacleOf(backend: GpuBackend, probe: BackendProbe): string | undefined {
  if (probe.state === "failed") return probe.reason;
  if (probe.devices.length === 0) return NO_DEVICE[backend];
  return probe.obstacle;
}
