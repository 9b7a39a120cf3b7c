import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { PlannableModels } from "../loading/planned-models.js";
import type { PoolingModelSettings } from "../loading/planned-pooling-model.js";
import type { GpuBackend } from "../native/llama-backend.js";

/** A model for which a device is probed. */
export type ProbedModel =
  | { readonly kind: "generation"; readonly settings: PlannableModels }
  | { readonly kind: "pooling"; readonly settings: PoolingModelSettings };

/** The request to a process that probes a backend. */
export interface ProbeRequest {
  readonly backend: GpuBackend;
  /** If absent, only the devices are requested. */
  readonly model?: ProbedModel | undefined;
}

/** A device found by a backend. */
export interface FoundDevice {
  /** Name as in `--device`, e.g. `CUDA0`. */
  readonly name: string;
  readonly description: string;
  readonly memory: { readonly freeBytes: number; readonly totalBytes: number };
}

/** The result of probing a backend. Plain data. */
export type BackendProbe =
  | { readonly state: "failed"; readonly reason: string }
  | {
      readonly state: "loaded";
      readonly devices: readonly FoundDevice[];
      /**
       * The reason why the model cannot use the devices; absent if it can, or if there is no model.
       */
      readonly obstacle?: string | undefined;
    };

/** Time after which a driver is assumed to hang. */
const PROBE_LIMIT_MS = 30_000;

/**
 * Probes a backend in a separate process: two libraries conflict in one process, and a broken
 * driver may crash or hang it. Takes about as long as loading the library. Never rejects.
 */
export function probeBackend(
  question: ProbeRequest,
  limitMs = PROBE_LIMIT_MS,
): Promise<BackendProbe> {
  return new Promise((resolve) => {
    const child = fork(fileURLToPath(new URL("./probe-main.js", import.meta.url)), {
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const timer = setTimeout(
      () =>
        end({ state: "failed", reason: `its driver did not answer within ${limitMs / 1000} s` }),
      limitMs,
    );
    const end = (probe: BackendProbe) => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      resolve(probe);
    };
    child.once("message", (probe) => end(probe as BackendProbe));
    child.once("error", ({ message }) => end({ state: "failed", reason: message }));
    child.once("exit", (code, signal) =>
      end({
        state: "failed",
        reason: `the process that probed it ended with ${signal ?? `exit code ${code}`}`,
      }),
    );
    child.send(question, () => undefined);
  });
}
