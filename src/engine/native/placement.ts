import { StartupError } from "../../core/startup-error.js";
import type {
  ModelParams,
  NativeCompanion,
  NativeDevice,
  TensorOverride,
} from "./companion/native-companion.js";

/** llama.cpp's `llama_split_mode`. */
const splitModes = { none: 0, layer: 1, row: 2, tensor: 3 } as const;

/** On which devices a model's parts go, beyond the number of layers; absent: as llama.cpp decides. */
export interface PlacementSettings {
  /** Names of devices that layers go to. */
  readonly devices?: readonly string[] | undefined;
  /** Index of the device that takes all of a model (split mode `none`), or the small parts (`row`). */
  readonly mainGpu?: number | undefined;
  readonly splitMode?: keyof typeof splitModes | undefined;
  /** Proportions, one for each device. */
  readonly tensorSplit?: readonly number[] | undefined;
  /** Where tensors go whose names match a regular expression. */
  readonly overrideTensor?: readonly TensorOverride[] | undefined;
  /** Layers, from the first on, whose experts stay in main memory. */
  readonly cpuMoe?: number | "all" | undefined;
}

/** The weights of experts, as llama-server's `--cpu-moe` selects them. */
const EXPERTS = "\\.ffn_(up|down|gate|gate_up)_(ch|)exps";

/** The buffer type of what the CPU computes. */
export const MAIN_MEMORY = "CPU";

/**
 * The parameters that a model is loaded with.
 * @throws {StartupError} naming a flag that cannot be honoured here, and what could be
 */
export function modelParamsOf(
  settings: PlacementSettings,
  companion: NativeCompanion,
): ModelParams {
  if (Object.values(settings).every((value) => value === undefined)) return {};
  const available = companion.devices();
  assertKnown(settings, available);
  const { devices, mainGpu, splitMode, tensorSplit } = settings;
  const overrides = overridesOf(settings);
  return {
    ...(devices && { devices }),
    ...(mainGpu !== undefined && { mainGpu }),
    ...(splitMode && { splitMode: splitModes[splitMode] }),
    ...(tensorSplit && { tensorSplit: Float32Array.from(tensorSplit) }),
    ...(overrides.length > 0 && { overrides }),
  };
}

/** What of it holds for a draft model: the devices. Proportions and tensors are those of the main model. */
export function draftParamsOf({ devices, mainGpu, splitMode }: ModelParams): ModelParams {
  return {
    ...(devices && { devices }),
    ...(mainGpu !== undefined && { mainGpu }),
    ...(splitMode !== undefined && { splitMode }),
  };
}

/**
 * The GPUs that a model's layers go to, as llama.cpp chooses them (`llama_model_load_from_file_impl`).
 * @returns `undefined`: no choice is made, and it is all that the library computes on
 */
export function chosenGpus(
  { devices = [], mainGpu = 0, splitMode }: PlacementSettings,
  available: readonly NativeDevice[],
): readonly NativeDevice[] | undefined {
  if (devices.length === 0 && splitMode !== "none") return undefined;
  const gpus = available.filter(({ isGpu }) => isGpu);
  const offloadable =
    devices.length === 0
      ? gpus
      : devices.flatMap((wanted) => gpus.filter(({ name }) => name === wanted));
  return splitMode === "none" ? offloadable.slice(mainGpu, mainGpu + 1) : offloadable;
}

/** llama.cpp takes the first pattern that matches. */
function overridesOf({ overrideTensor = [], cpuMoe = 0 }: PlacementSettings): TensorOverride[] {
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
  assertAmong("--device", devices, names(gpus));
  assertAmong(
    "--override-tensor",
    overrideTensor.map(({ bufferType }) => bufferType),
    available.map(({ bufferType }) => bufferType),
  );
  if (mainGpu !== undefined && mainGpu >= offloadable) {
    throw new StartupError(
      `--main-gpu: expected an index of one of ${offloadable} devices (${names(gpus).join(", ") || "none"}), got ${mainGpu}`,
    );
  }
  if (tensorSplit !== undefined && tensorSplit.length > offloadable) {
    throw new StartupError(
      `--tensor-split: expected at most ${offloadable} proportions, one for each device, got ${tensorSplit.length}`,
    );
  }
}

function assertAmong(flag: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const expected = known.length === 0 ? "no device but the CPU is there" : known.join(", ");
  throw new StartupError(`${flag}: expected one of: ${expected}; got ${unknown}`);
}

function names(devices: readonly NativeDevice[]): string[] {
  return devices.map(({ name }) => name);
}
