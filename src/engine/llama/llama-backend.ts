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
 * Loads the native library: one compiled on this machine for this device and this version of
 * node-llama-cpp, otherwise the prebuilt one.
 * @throws {StartupError} when the requested GPU is not available: the library itself would silently
 *   fall back to another device
 */
export async function loadBackend({ gpu, log }: BackendOptions): Promise<Llama> {
  const llama = await getLlama({
    gpu: gpu === "off" ? false : gpu,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.warn,
    logger: (level, message) => log(severity(level), message.trimEnd()),
  }).catch((error: unknown) => {
    if (gpu === "auto" || gpu === "off") {
      throw new StartupError(`llama.cpp could not be loaded: ${reasonOf(error)}`, error);
    }
    throw new StartupError(missing(gpu), error);
  });
  if (gpu !== "auto" && gpu !== "off" && llama.gpu !== gpu) {
    const got = llama.gpu === false ? "the CPU" : llama.gpu;
    await llama.dispose();
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
