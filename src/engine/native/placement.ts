import { StartupError } from "../../core/startup-error.js";
import type {
  ModelParams,
  NativeCompanion,
  NativeDevice,
  TensorOverride,
} from "./companion/native-companion.js";

/** llama.cpp's `llama_split_mode`. */
const splitModes = { none: 0, layer: 1, row: 2, tensor: 3 } as const;

/**
 * Placement of a model's parts on devices, in addition to the number of GPU layers. llama.cpp
 * chooses absent values.
 */
export interface PlacementSettings {
  /** Names of the devices that receive layers. */
  readonly devices?: readonly string[] | undefined;
  /**
   * Index of the device that receives the whole model (split mode `none`) or its small parts
   * (`row`).
   */
  readonly mainGpu?: number | undefined;
  readonly splitMode?: keyof typeof splitModes | undefined;
  /** Proportions, one per device. */
  readonly tensorSplit?: readonly number[] | undefined;
  /** Buffer types of tensors whose names match a regular expression. */
  readonly overrideTensor?: readonly TensorOverride[] | undefined;
  /** Number of layers, from the first on, whose experts stay in main memory. */
  readonly cpuMoe?: number | "all" | undefined;
  /** Whether weights in main memory are locked, so that they are never swapped out. */
  readonly lock?: boolean | undefined;
  /** How the file is read. @default "auto" */
  readonly loadMode?: LoadMode | undefined;
  /** Whether the values of all tensors are checked while they are loaded. */
  readonly checkTensors?: boolean | undefined;
  /**
   * Addresses of the workers whose devices the model may use; each an IPv4 address or a host name,
   * and a port. Absent: none.
   */
  readonly workers?: readonly string[] | undefined;
}

/**
 * How a model file is read, as in llama.cpp (`llama_load_mode`). `auto`: mapped where the devices
 * allow; `mmap`: mapped; `none`: read into memory; `dio`: read past the system's file cache.
 */
export type LoadMode = "auto" | "mmap" | "none" | "dio";

/** Settings of a placement that concern the reading of the file. */
export type FileReading = Pick<PlacementSettings, "lock" | "loadMode" | "checkTensors">;

/** Pattern of expert weights, as selected by llama-server's `--cpu-moe`. */
const EXPERTS = "\\.ffn_(up|down|gate|gate_up)_(ch|)exps";

/** Buffer type of tensors that the CPU computes. */
export const MAIN_MEMORY = "CPU";

/**
 * Builds the parameters for loading a model. Like `--gpu-layers`, `--main-gpu`, `--split-mode` and
 * `--tensor-split` have no effect on a machine without a GPU.
 * @throws {StartupError} names a flag that this machine cannot honour, and the values that it can
 */
export function buildModelParams(
  given: PlacementSettings,
  companion: NativeCompanion,
): ModelParams {
  if (Object.values(given).every((value) => value === undefined)) return {};
  const available = companion.devices();
  const settings = available.some(({ isGpu }) => isGpu) ? given : withoutSplit(given);
  assertKnown(settings, available);
  const { devices, mainGpu, splitMode, tensorSplit } = settings;
  const overrides = buildOverrides(settings);
  return {
    ...(devices && { devices }),
    ...(mainGpu !== undefined && { mainGpu }),
    ...(splitMode && { splitMode: splitModes[splitMode] }),
    ...(tensorSplit && { tensorSplit: Float32Array.from(tensorSplit) }),
    ...(overrides.length > 0 && { overrides }),
  };
}

function withoutSplit(settings: PlacementSettings): PlacementSettings {
  return { ...settings, mainGpu: undefined, splitMode: undefined, tensorSplit: undefined };
}

/**
 * Returns the parameters that also apply to a draft model: the devices. Proportions and tensor
 * overrides apply to the main model only.
 */
export function buildDraftParams({ devices, mainGpu, splitMode }: ModelParams): ModelParams {
  return {
    ...(devices && { devices }),
    ...(mainGpu !== undefined && { mainGpu }),
    ...(splitMode !== undefined && { splitMode }),
  };
}

/**
 * Returns the GPUs that receive a model's layers, as llama.cpp selects them
 * (`llama_model_load_from_file_impl`).
 * @returns `undefined` if the settings select none: the library uses all of its devices
 */
export function selectGpus(
  { devices = [], mainGpu = 0, splitMode }: PlacementSettings,
  available: readonly NativeDevice[],
): readonly NativeDevice[] | undefined {
  if (devices.length === 0 && splitMode !== "none") return undefined;
  const gpus = available.filter(({ isGpu }) => isGpu);
  const offloadableGpus =
    devices.length === 0
      ? gpus.toSorted((one, other) => Number(isOfWorker(other)) - Number(isOfWorker(one)))
      : devices.flatMap((wanted) => gpus.filter(({ name }) => name === wanted));
  return splitMode === "none" ? offloadableGpus.slice(mainGpu, mainGpu + 1) : offloadableGpus;
}

/** Returns whether a model uses the devices of workers. */
export function usesWorkers({ workers = [] }: Pick<PlacementSettings, "workers">): boolean {
  return workers.length > 0;
}

/** llama.cpp places layers on the devices of workers first. */
function isOfWorker({ name }: NativeDevice): boolean {
  return name.startsWith("RPC");
}

/**
 * Returns all overrides in order of precedence: llama.cpp applies the first pattern that matches.
 */
function buildOverrides({ overrideTensor = [], cpuMoe = 0 }: PlacementSettings): TensorOverride[] {
  const experts =
    cpuMoe === "all"
      ? [EXPERTS]
      : Array.from({ length: cpuMoe }, (_, layer) => `blk\\.${layer}${EXPERTS}`);
  return [...overrideTensor, ...experts.map((pattern) => ({ pattern, bufferType: MAIN_MEMORY }))];
}

function assertKnown(
  { devices = [], mainGpu, tensorSplit, overrideTensor = [] }: PlacementSettings,
  available: readonly NativeDevice[],
): void {
  const gpus = available.filter(({ isGpu }) => isGpu);
  const offloadable = devices.length > 0 ? devices.length : gpus.length;
  assertAmong("--device", devices, namesOf(gpus));
  assertAmong(
    "--override-tensor",
    overrideTensor.map(({ bufferType }) => bufferType),
    available.map(({ bufferType }) => bufferType),
  );
  if (mainGpu !== undefined && mainGpu >= offloadable) {
    throw new StartupError(
      `--main-gpu: expected an index of one of ${offloadable} devices (${namesOf(gpus).join(", ") || "none"}), got ${mainGpu}`,
    );
  }
  if (tensorSplit !== undefined && tensorSplit.length > offloadable) {
    throw new StartupError(
      `--tensor-split: expected at most ${offloadable} proportions, one for each device, got ${tensorSplit.length}`,
    );
  }
}

function assertAmong(
  flag: string,
  givenNames: readonly string[],
  knownNames: readonly string[],
): void {
  const unknownName = givenNames.find((name) => !knownNames.includes(name));
  if (unknownName === undefined) return;
  const expected =
    knownNames.length === 0
      ? "no name, because the CPU is the only device"
      : `one of: ${knownNames.join(", ")}`;
  throw new StartupError(`${flag}: expected ${expected}; got ${unknownName}`);
}

function namesOf(devices: readonly NativeDevice[]): string[] {
  return devices.map(({ name }) => name);
}
