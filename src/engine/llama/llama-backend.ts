import { getLlama, type Llama, LlamaLogLevel } from "node-llama-cpp";
import type { NativeBuild } from "../../core/engine.js";
import { reasonOf } from "../../core/reason-of.js";
import { StartupError } from "../../core/startup-error.js";
import type { FlashAttentionQuestion } from "./flash-attention.js";
import type { NativeLog } from "./native-errors.js";

/** The loaded native library. */
export type Backend = Llama;

/** `auto`: the best device available; `off`: the CPU; any other value must be available. */
export type GpuChoice = "auto" | "cuda" | "vulkan" | "metal" | "off";

export interface BackendOptions {
  readonly gpu: GpuChoice;
  readonly log: NativeLog;
}

const requirements: Record<Exclude<GpuChoice, "auto" | "off">, string> = {
  cuda: "an NVIDIA GPU, its driver and a Linux or Windows build of node-llama-cpp for CUDA",
  vulkan: "a GPU with a Vulkan driver and the Vulkan loader library (libvulkan)",
  metal: "an Apple GPU and macOS on arm64",
};

/**
 * The libraries that this process has loaded. None is disposed before the process ends: that frees llama.cpp's
 * backend for whoever else still uses it, and once in some hundred times does not return. Nor is a second one created
 * for the same choice: each takes node-llama-cpp's log for itself, and the finalizer of the log before, which runs
 * later, turns off the new one.
 */
const loaded = new Map<GpuChoice, Promise<Llama>>();

/** llama.cpp has one log for the process, and a message does not say which model it is about. */
let lastLog: NativeLog = () => undefined;

/**
 * Loads the native library, once for a process: one compiled on this machine for this device and this version of
 * node-llama-cpp, otherwise the prebuilt one. Its messages go to the `log` of the last call from now on.
 * @throws {StartupError} when the requested GPU is not available: the library itself would silently
 *   fall back to another device
 */
export function loadBackend({ gpu, log }: BackendOptions): Promise<Llama> {
  lastLog = log;
  const known = loaded.get(gpu);
  if (known !== undefined) return known;
  const loading = loadLibrary(gpu);
  loaded.set(gpu, loading);
  // What failed may be tried again, when its driver is there.
  loading.catch(() => loaded.delete(gpu));
  return loading;
}

async function loadLibrary(gpu: GpuChoice): Promise<Llama> {
  const llama = await getLlama({
    gpu: gpu === "off" ? false : gpu,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.warn,
    logger: (level, message) => lastLog(severity(level), message.trimEnd()),
  }).catch((error: unknown) => {
    if (gpu === "auto" || gpu === "off") {
      throw new StartupError(`llama.cpp could not be loaded: ${reasonOf(error)}`, error);
    }
    throw new StartupError(missing(gpu), error);
  });
  if (gpu !== "auto" && gpu !== "off" && llama.gpu !== gpu) {
    const got = llama.gpu === false ? "the CPU" : llama.gpu;
    throw new StartupError(`${missing(gpu)} (llama.cpp offered ${got} instead)`);
  }
  return llama;
}

/** Whether the native library is the prebuilt one or was compiled on this machine. */
export function buildOf(llama: Llama): NativeBuild {
  return llama.buildType === "localBuild" ? "local" : "prebuilt";
}

/** The properties of the device that decide how attention is computed. */
export function processorOf(llama: Llama): FlashAttentionQuestion["processor"] {
  if (llama.gpu !== false) return { kind: "gpu" };
  const vectorLength = llama.systemInfo.includes("AVX512 = 1") ? 64 : 32;
  return { kind: "cpu", build: buildOf(llama), vectorLength };
}

/** The computing device for display, e.g. `CPU` or `CUDA (NVIDIA A10)`. */
export async function describeDevice(llama: Llama): Promise<string> {
  if (llama.gpu === false) return "CPU";
  const names = await llama.getGpuDeviceNames();
  const label = { cuda: "CUDA", vulkan: "Vulkan", metal: "Metal" }[llama.gpu];
  return names.length === 0 ? label : `${label} (${names.join(", ")})`;
}

function missing(gpu: keyof typeof requirements): string {
  return `--gpu ${gpu} was asked for but is not available: it needs ${requirements[gpu]}`;
}

function severity(level: LlamaLogLevel): "error" | "warn" | "debug" {
  if (level === LlamaLogLevel.error || level === LlamaLogLevel.fatal) return "error";
  return level === LlamaLogLevel.warn ? "warn" : "debug";
}
