import { createRequire } from "node:module";
import { arch, constants, platform } from "node:os";
import { basename, dirname, join } from "node:path";
import {
  getLlama,
  getLlamaGpuTypes,
  getModuleVersion,
  type Llama,
  LlamaLogLevel,
} from "node-llama-cpp";
import type { NativeBuild } from "../../core/engine.js";
import { reasonOf } from "../../core/reason-of.js";
import { StartupError } from "../../core/startup-error.js";
import type { FlashAttentionQuestion } from "./kv-cache.js";
import type { NativeLog } from "./native-errors.js";

const require = createRequire(import.meta.url);

/** The loaded native library. */
export type Backend = Llama;

/** A way to compute on GPUs, each with a library of its own. */
export type GpuBackend = "cuda" | "vulkan" | "metal";

/** The library to be loaded; `off`: the one that computes on the CPU. */
export type BackendChoice = GpuBackend | "off";

/** As configured. `auto`: the best device that is there; any other value must be available. */
export type GpuChoice = BackendChoice | "auto";

export interface BackendOptions {
  readonly gpu: BackendChoice;
  readonly log: NativeLog;
}

const requirements: Record<GpuBackend, string> = {
  cuda: "an NVIDIA GPU, its driver and a Linux or Windows build of node-llama-cpp for CUDA",
  vulkan: "a GPU with a Vulkan driver and the Vulkan loader library (libvulkan)",
  metal: "an Apple GPU and macOS on arm64",
};

/** What a library is said to have found that has loaded and found nothing. */
export const NO_DEVICE: Record<GpuBackend, string> = {
  cuda: "it found no NVIDIA GPU",
  vulkan: "it found no GPU (drivers that compute on the CPU do not count)",
  metal: "it found no Apple GPU",
};

export const backendTitles: Record<GpuBackend, string> = {
  cuda: "CUDA",
  vulkan: "Vulkan",
  metal: "Metal",
};

/**
 * The libraries that this process has loaded. None is disposed before the process ends: that frees llama.cpp's
 * backend for whoever else still uses it, and once in some hundred times does not return. Nor is a second one created
 * for the same choice: each takes node-llama-cpp's log for itself, and the finalizer of the log before, which runs
 * later, turns off the new one.
 */
const loaded = new Map<BackendChoice, Promise<Llama>>();

/** llama.cpp has one log for the process, and a message does not say which model it is about. */
let lastLog: NativeLog = () => undefined;

/** Has llama.cpp's messages go to this log from now on. */
export function logTo(log: NativeLog): void {
  lastLog = log;
}

/**
 * Loads the native library, once for a process: one compiled on this machine for this device and this version of
 * node-llama-cpp, otherwise the prebuilt one. Its messages go to the `log` of the last call from now on.
 * @throws {StartupError} when the requested GPU is not available: the library itself would silently
 *   fall back to another device
 */
export async function loadBackend(options: BackendOptions): Promise<Llama> {
  const { gpu } = options;
  const llama = await loadLibrary(options).catch((error: unknown) => {
    if (gpu === "off") throw error;
    throw new StartupError(`${notAvailable(gpu)} ${reasonOf(error)}`, error);
  });
  if (gpu !== "off" && !hasDevice(llama)) {
    throw new StartupError(
      `${notAvailable(gpu)} llama.cpp's ${backendTitles[gpu]} library can be loaded, but ${NO_DEVICE[gpu]}; "ggufd devices" lists what is there`,
    );
  }
  return llama;
}

/** Whether a library has found a device to compute on, beside the CPU. */
function hasDevice(llama: Llama): boolean {
  return llama.gpu !== false && llama.supportsGpuOffloading;
}

/**
 * Loads the native library as {@link loadBackend} does, also one that finds no device.
 * @throws {StartupError} when it cannot be loaded, with the reason alone
 */
export function loadLibrary({ gpu, log }: BackendOptions): Promise<Llama> {
  logTo(log);
  const known = loaded.get(gpu);
  if (known !== undefined) return known;
  const loading = openLibrary(gpu);
  loaded.set(gpu, loading);
  // What failed may be tried again, when its driver is there.
  loading.catch(() => loaded.delete(gpu));
  return loading;
}

async function openLibrary(gpu: BackendChoice): Promise<Llama> {
  const llama = await getLlama({
    gpu: gpu === "off" ? false : gpu,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.warn,
    logger: (level, message) => lastLog(severity(level), message.trimEnd()),
  }).catch((error: unknown) => {
    if (gpu === "off") {
      throw new StartupError(`llama.cpp could not be loaded: ${reasonOf(error)}`, error);
    }
    throw new StartupError(libraryProblem(gpu) ?? `it needs ${requirements[gpu]}`, error);
  });
  if (gpu !== "off" && llama.gpu !== gpu) {
    const got = llama.gpu === false ? "the CPU" : llama.gpu;
    throw new StartupError(`it needs ${requirements[gpu]} (llama.cpp offered ${got} instead)`);
  }
  return llama;
}

/** Backends whose drivers seem to be installed, and the CPU where there is a library for it; the best first. */
export async function supportedBackends(): Promise<readonly BackendChoice[]> {
  return (await getLlamaGpuTypes("supported")).map((type) => (type === false ? "off" : type));
}

/** Backends that this kind of machine can have; the best first. */
export async function possibleBackends(): Promise<readonly GpuBackend[]> {
  return (await getLlamaGpuTypes("allValid")).filter((type) => type !== false);
}

/** For example `node-llama-cpp 3.22.1`: the versions of the binding, and of the llama.cpp that comes with it. */
export async function libraryVersion(): Promise<string> {
  return `node-llama-cpp ${await getModuleVersion()}`;
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
  const label = backendTitles[llama.gpu];
  return names.length === 0 ? label : `${label} (${names.join(", ")})`;
}

function notAvailable(gpu: GpuBackend): string {
  return `--gpu ${gpu} was asked for but is not available:`;
}

function severity(level: LlamaLogLevel): "error" | "warn" | "debug" {
  if (level === LlamaLogLevel.error || level === LlamaLogLevel.fatal) return "error";
  return level === LlamaLogLevel.warn ? "warn" : "debug";
}

/**
 * Why node-llama-cpp's ready-built library for a backend cannot be loaded, which the package does not tell: it is not
 * installed, or a library that it needs is not. `undefined`: neither is found to be so.
 *
 * It opens the library, which must not happen in a process that is to load another one.
 */
function libraryProblem(backend: GpuBackend): string | undefined {
  const name = `${platformName()}-${arch()}-${backend}`;
  const folder = packageFolder(`@node-llama-cpp/${name}`);
  if (folder === undefined) return `the package @node-llama-cpp/${name} is not installed`;
  if (platform() !== "linux") return undefined;
  const file = join(folder, "bins", name, `libggml-${backend}.so`);
  try {
    process.dlopen({ exports: {} }, file, constants.dlopen.RTLD_LAZY);
    return undefined;
  } catch (error) {
    // A library that is none of Node's is refused after it has been opened.
    const [, missing] = /^(lib[^:]+): cannot open shared object file/.exec(reasonOf(error)) ?? [];
    return missing === undefined ? undefined : missingLibrary(missing, basename(file));
  }
}

function missingLibrary(missing: string, file: string): string {
  return missing === file
    ? `${file} is missing`
    : `${file} needs ${missing}, which is not installed`;
}

function platformName(): string {
  return { darwin: "mac", win32: "win" }[platform() as string] ?? platform();
}

function packageFolder(name: string): string | undefined {
  try {
    return dirname(dirname(require.resolve(name)));
  } catch {
    return undefined;
  }
}
