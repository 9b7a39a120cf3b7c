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
import { formatReason } from "../../core/format-reason.js";
import { StartupError } from "../../core/startup-error.js";
import type { FlashAttentionInput } from "./kv-cache.js";
import type { NativeLog } from "./native-errors.js";
import { readNumaStrategy } from "./numa.js";

const require = createRequire(import.meta.url);

export type Backend = Llama;

/** A GPU backend; each has its own library. */
export type GpuBackend = "cuda" | "vulkan" | "metal";

/** The backend to load; `off` is the CPU. */
export type BackendChoice = GpuBackend | "off";

/**
 * The configured backend. `auto` is the best available device; any other value must be available.
 */
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

/** Reasons for rejecting backends whose library loaded but found no device. */
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
 * Libraries loaded by this process. They are never disposed before the process exits: disposing one
 * frees llama.cpp's backend for all other users and, about once in several hundred times, does not
 * return. There is also at most one per backend: each takes over node-llama-cpp's log, and the
 * finalizer of the previous log, which runs later, would disable the new one.
 */
const libraries = new Map<BackendChoice, Promise<Llama>>();

/** llama.cpp has one log per process, and its messages do not name the model. */
let lastLog: NativeLog = () => undefined;

/** Redirects llama.cpp's messages to `log`. */
export function logTo(log: NativeLog): void {
  lastLog = log;
}

/**
 * Loads the native library, once per process: a build compiled on this machine for this backend and
 * version of node-llama-cpp if there is one, otherwise the prebuilt one. Messages go to the `log`
 * of the most recent call.
 * @throws {StartupError} the requested GPU is not available; the library itself would silently fall
 *   back to another device
 */
export async function loadBackend(options: BackendOptions): Promise<Llama> {
  const { gpu } = options;
  const llama = await loadLibrary(options).catch((error: unknown) => {
    if (gpu === "off") throw error;
    throw new StartupError(`${formatUnavailable(gpu)} ${formatReason(error)}`, error);
  });
  if (gpu !== "off" && !hasDevice(llama)) {
    throw new StartupError(
      `${formatUnavailable(gpu)} llama.cpp's ${backendTitles[gpu]} library can be loaded, but ${NO_DEVICE[gpu]}; "ggufd devices" lists the available devices`,
    );
  }
  return llama;
}

/** Returns whether a library has found a compute device other than the CPU. */
function hasDevice(llama: Llama): boolean {
  return llama.gpu !== false && llama.supportsGpuOffloading;
}

/**
 * Returns whether layers can be placed on devices other than this machine's CPU: its GPUs, or the
 * devices of workers.
 */
export function canOffload(llama: Llama): boolean {
  return llama.gpu !== false || llama.supportsGpuOffloading;
}

/** Lets the binding offload layers to devices that were added after it was loaded. */
export function noteAddedDevices(llama: Llama): void {
  const internals = llama as unknown as {
    readonly _bindings: { getSupportsGpuOffloading(): boolean };
    _supportsGpuOffloading: boolean;
  };
  internals._supportsGpuOffloading = internals._bindings.getSupportsGpuOffloading();
}

/**
 * Loads the native library like {@link loadBackend}, but accepts one that finds no device.
 * @throws {StartupError} the library cannot be loaded; the message is the reason alone
 */
export function loadLibrary({ gpu, log }: BackendOptions): Promise<Llama> {
  logTo(log);
  const existing = libraries.get(gpu);
  if (existing !== undefined) return existing;
  const loading = openLibrary(gpu);
  libraries.set(gpu, loading);
  // A failed load is not kept: the user may install the missing driver and retry.
  loading.catch(() => libraries.delete(gpu));
  return loading;
}

async function openLibrary(gpu: BackendChoice): Promise<Llama> {
  const llama = await getLlama({
    gpu: gpu === "off" ? false : gpu,
    build: "never",
    skipDownload: true,
    numa: readNumaStrategy(process.env) ?? false,
    progressLogs: false,
    logLevel: LlamaLogLevel.warn,
    logger: (level, message) => lastLog(toLogLevel(level), message.trimEnd()),
  }).catch((error: unknown) => {
    if (gpu === "off") {
      throw new StartupError(`llama.cpp could not be loaded: ${formatReason(error)}`, error);
    }
    throw new StartupError(findLibraryProblem(gpu) ?? `it needs ${requirements[gpu]}`, error);
  });
  if (gpu !== "off" && llama.gpu !== gpu) {
    const actual = llama.gpu === false ? "the CPU" : llama.gpu;
    throw new StartupError(
      findLibraryProblem(gpu) ??
        `it needs ${requirements[gpu]} (llama.cpp offered ${actual} instead)`,
    );
  }
  return llama;
}

/**
 * Returns the backends whose drivers seem to be installed, and the CPU if it has a library; best
 * first.
 */
export async function listSupportedBackends(): Promise<readonly BackendChoice[]> {
  return (await getLlamaGpuTypes("supported")).map((type) => (type === false ? "off" : type));
}

/** Returns the GPU backends that this kind of machine can have; best first. */
export async function listPossibleBackends(): Promise<readonly GpuBackend[]> {
  return (await getLlamaGpuTypes("allValid")).filter((type) => type !== false);
}

/**
 * Returns the version of the binding, which determines that of llama.cpp, e.g.
 * `node-llama-cpp 3.22.1`.
 */
export async function readLibraryVersion(): Promise<string> {
  return `node-llama-cpp ${await getModuleVersion()}`;
}

/** Returns whether the native library is prebuilt or was compiled on this machine. */
export function buildOf(llama: Llama): NativeBuild {
  return llama.buildType === "localBuild" ? "local" : "prebuilt";
}

/** Returns the device properties that decide how attention is computed. */
export function processorOf(llama: Llama): FlashAttentionInput["processor"] {
  if (llama.gpu !== false) return { kind: "gpu" };
  const vectorLength = llama.systemInfo.includes("AVX512 = 1") ? 64 : 32;
  return { kind: "cpu", build: buildOf(llama), vectorLength };
}

/**
 * Describes the compute device for display, e.g. `CPU` or `CUDA (NVIDIA A10)`; devices of workers
 * by their address: `CPU (10.0.0.2:50052)`.
 */
export async function describeDevice(llama: Llama): Promise<string> {
  if (!canOffload(llama)) return "CPU";
  const names = await llama.getGpuDeviceNames();
  const label = llama.gpu === false ? "CPU" : backendTitles[llama.gpu];
  return names.length === 0 ? label : `${label} (${names.join(", ")})`;
}

function formatUnavailable(gpu: GpuBackend): string {
  return `--gpu ${gpu} is not available:`;
}

function toLogLevel(level: LlamaLogLevel): "error" | "warn" | "debug" {
  if (level === LlamaLogLevel.error || level === LlamaLogLevel.fatal) return "error";
  return level === LlamaLogLevel.warn ? "warn" : "debug";
}

/**
 * Finds out why node-llama-cpp's prebuilt library for a backend cannot be loaded, which the package
 * does not report: it, or a library that it needs, is not installed. Returns `undefined` if neither
 * is the case.
 *
 * The function opens the library, so it must not run in a process that is to load another one.
 */
function findLibraryProblem(backend: GpuBackend): string | undefined {
  const name = `${platformName()}-${arch()}-${backend}`;
  const folder = findPackageFolder(`@node-llama-cpp/${name}`);
  if (folder === undefined) return `the package @node-llama-cpp/${name} is not installed`;
  if (platform() !== "linux") return undefined;
  const file = join(folder, "bins", name, `libggml-${backend}.so`);
  try {
    process.dlopen({ exports: {} }, file, constants.dlopen.RTLD_LAZY);
    return undefined;
  } catch (error) {
    // `dlopen` rejects a library that is not a Node addon only after opening it.
    const [, missingFile] =
      /^(lib[^:]+): cannot open shared object file/.exec(formatReason(error)) ?? [];
    return missingFile === undefined
      ? undefined
      : describeMissingLibrary(missingFile, basename(file));
  }
}

function describeMissingLibrary(missing: string, file: string): string {
  return missing === file
    ? `${file} is missing`
    : `${file} needs ${missing}, which is not installed`;
}

function platformName(): string {
  return { darwin: "mac", win32: "win" }[platform() as string] ?? platform();
}

function findPackageFolder(name: string): string | undefined {
  try {
    return dirname(dirname(require.resolve(name)));
  } catch {
    return undefined;
  }
}
