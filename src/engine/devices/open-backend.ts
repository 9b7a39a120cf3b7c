import {
  type Backend,
  type GpuChoice,
  loadBackend,
  supportedBackends,
} from "../native/llama-backend.js";
import type { NativeLog } from "../native/native-errors.js";
import { type ProbedModel, probeBackend } from "./backend-probe.js";
import { chooseBackend, describePassedOver, type PassedOver } from "./choose-backend.js";

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
  if (gpu !== "auto") return { llama: await loadBackend({ gpu, log }), passedOver: [] };
  const chosen = await chooseBackend(await supportedBackends(), (backend) =>
    probeBackend({ backend, model }),
  );
  for (const one of chosen.passedOver) log("info", describePassedOver(one));
  const { passedOver } = chosen;
  return { llama: await loadBackend({ gpu: chosen.gpu, log }), passedOver };
}
