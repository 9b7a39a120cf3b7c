import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { PlannableModels } from "../loading/planned-models.js";
import type { PoolingModelSettings } from "../loading/planned-pooling-model.js";
import type { GpuBackend } from "../native/llama-backend.js";

/** A model that is to go on a device. */
export type ProbedModel =
  | { readonly kind: "generation"; readonly settings: PlannableModels }
  | { readonly kind: "pooling"; readonly settings: PoolingModelSettings };

/** The request to a process that tries a backend. */
export interface ProbeQuestion {
  readonly backend: GpuBackend;
  /** Absent: only the devices are requested. */
  readonly model?: ProbedModel | undefined;
}

/** A device that a backend has found. */
export interface FoundDevice {
  /** As in `--device`, e.g. `CUDA0`. */
  readonly name: string;
  readonly description: string;
  readonly memory: { readonly freeBytes: number; readonly totalBytes: number };
}

/** What has become of trying a backend. Plain data. */
export type BackendProbe =
  | { readonly state: "failed"; readonly reason: string }
  | {
      readonly state: "loaded";
      readonly devices: readonly FoundDevice[];
      /** Why the model cannot use them; absent: it can, or there is none. */
      readonly obstacle?: string | undefined;
    };

/** A driver that has not found its devices after this time is not going to. */
const PROBE_LIMIT_MS = 30_000;

/**
 * Tries a backend in a process of its own: two libraries do not get on in one, and a broken driver may end it or
 * never return. Takes about as long as loading the library does. Never rejects.
 */
export function probeBackend(
  question: ProbeQuestion,
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
        reason: `the process that tried it ended with ${signal ?? `exit code ${code}`}`,
      }),
    );
    child.send(question, () => undefined);
  });
}
