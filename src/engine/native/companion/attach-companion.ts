import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";
import type { Llama } from "node-llama-cpp";
import { formatReason } from "../../../core/format-reason.js";
import { StartupError } from "../../../core/startup-error.js";
import { readLibraryVersion } from "../llama-backend.js";
import { findAddonFile } from "./addon-files.js";
import type { NativeCompanion, StructureSizes } from "./native-companion.js";
import { type Bindings, extendBindings } from "./native-params.js";

/** Alignment of structures; their last bytes may be padding, which is never written. */
const ALIGNMENT_BYTES = 8;

const require = createRequire(import.meta.url);

/**
 * Loads the companion for this platform and checks that it matches the loaded library: the
 * package's version, the functions that it calls, the sizes of shared structures, and the offsets
 * of fields in the binding's objects.
 * @param file the companion to load
 * @throws {StartupError} states the mismatch
 */
export async function attachCompanion(
  llama: Llama,
  file: string = findAddonFile("companion"),
): Promise<NativeCompanion> {
  const companion = await loadCompanion(llama, file);
  extendBindings(bindingsOf(llama), companion);
  return companion;
}

/** Enables metadata overrides for models, without a companion. */
export function allowOverrides(llama: Llama): void {
  extendBindings(bindingsOf(llama));
}

async function loadCompanion(llama: Llama, file: string): Promise<NativeCompanion> {
  if (!existsSync(file)) throw createUnusableError(`${file} does not exist`);
  const native = loadAddon(file);
  const version = await readLibraryVersion();
  if (native.facts.builtFor !== version) {
    throw createUnusableError(
      `${file} was built for ${native.facts.builtFor}, but ${version} is installed`,
    );
  }
  const bindings = bindingsOf(llama);
  attachTo(bindings, native);
  const mismatch =
    findSizeMismatch(native.facts, native.measureStructures()) ??
    (await findCanaryMismatch(bindings, native));
  if (mismatch !== undefined) throw createUnusableError(`${file} ${mismatch}`);
  return native;
}

function loadAddon(file: string): NativeCompanion {
  try {
    return require(file);
  } catch (error) {
    throw createUnusableError(formatReason(error), error);
  }
}

function attachTo(bindings: Bindings, native: NativeCompanion): void {
  try {
    native.attach(bindings);
  } catch (error) {
    throw createUnusableError(formatReason(error), error);
  }
}

function bindingsOf(llama: Llama): Bindings {
  return (llama as unknown as { readonly _bindings: Bindings })._bindings;
}

function findSizeMismatch(
  compiledSizes: StructureSizes,
  measuredSizes: StructureSizes,
): string | undefined {
  for (const name of ["contextParamsBytes", "modelParamsBytes"] as const) {
    const paddedBytes = Math.ceil(measuredSizes[name] / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
    if (paddedBytes !== compiledSizes[name]) {
      return `was built for ${name} of ${compiledSizes[name]}, but the library has ${paddedBytes}`;
    }
  }
  return undefined;
}

/** Values that differ from all defaults, so that they read back only from the right offsets. */
const CANARY = { contextSize: 2311, batchSize: 53, sequences: 7, threads: 3, gpuLayers: 37 };

/**
 * Compares parameters passed to the binding with those read back from its objects, which are never
 * initialised.
 */
async function findCanaryMismatch(
  bindings: Bindings,
  native: NativeCompanion,
): Promise<string | undefined> {
  const model = new bindings.AddonModel("", { addonExports: bindings, ...CANARY });
  const context = new bindings.AddonContext(model, CANARY);
  const { contextSize, batchSize, sequences, threads } = native.readContext(context);
  const { gpuLayers } = native.readModel(model);
  const readValues = { contextSize, batchSize, sequences, threads, gpuLayers };
  await context.dispose();
  await model.dispose();
  return isDeepStrictEqual(readValues, CANARY)
    ? undefined
    : `reads ${JSON.stringify(readValues)} from objects created with ${JSON.stringify(CANARY)}`;
}

function createUnusableError(reason: string, cause?: unknown): StartupError {
  return new StartupError(`the native companion cannot be used: ${reason}`, cause);
}
