import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { Llama } from "node-llama-cpp";
import { reasonOf } from "../../../core/reason-of.js";
import { libraryVersion } from "../llama-backend.js";
import type { NativeCompanion, StructureSizes } from "./native-companion.js";
import { type Bindings, extendBindings } from "./native-params.js";

/** The companion of a loaded library, or why it is not used. */
export type Companion =
  | { readonly state: "attached"; readonly native: NativeCompanion }
  | { readonly state: "absent"; readonly reason: string };

/** Structures are aligned to this: their last bytes may be padding, which is never written. */
const ALIGNMENT_BYTES = 8;

const require = createRequire(import.meta.url);

/**
 * Loads the ready-built companion for this platform and checks that it was made for the library that is
 * loaded: the package's version, the functions that it calls, the sizes of the structures that they
 * share, and that the binding's objects have their fields where it expects them. Whatever is wrong,
 * the daemon works without it.
 * @param file the companion to be used
 */
export async function attachCompanion(
  llama: Llama,
  file: string | undefined = readyBuiltFile(),
): Promise<Companion> {
  const companion = await loadCompanion(llama, file);
  extendBindings(bindingsOf(llama), companion.state === "attached" ? companion.native : undefined);
  return companion;
}

/** Has models be loaded with overrides of their metadata, without looking for a companion. */
export function allowOverrides(llama: Llama): void {
  extendBindings(bindingsOf(llama));
}

async function loadCompanion(llama: Llama, file: string | undefined): Promise<Companion> {
  if (file === undefined) {
    return absent(`there is none for ${process.platform} on ${process.arch}`);
  }
  if (!existsSync(file)) return absent(`there is no file ${file}`);
  try {
    const native: NativeCompanion = require(file);
    const version = await libraryVersion();
    if (native.facts.builtFor !== version) {
      return absent(`it was built for ${native.facts.builtFor}, this is ${version}`);
    }
    const bindings = bindingsOf(llama);
    native.attach(bindings);
    const mismatch =
      sizeMismatch(native.facts, native.measureStructures()) ??
      (await canaryMismatch(bindings, native));
    if (mismatch !== undefined) return absent(mismatch);
    return { state: "attached", native };
  } catch (error) {
    return absent(reasonOf(error));
  }
}

/** `undefined`: there is none for this platform. It links against glibc, so musl is another platform. */
function readyBuiltFile(): string | undefined {
  const { platform, arch } = process;
  if (platform !== "linux" || (arch !== "x64" && arch !== "arm64")) return undefined;
  return fileURLToPath(new URL(`prebuilt/linux-${arch}.node`, import.meta.url));
}

function bindingsOf(llama: Llama): Bindings {
  return (llama as unknown as { readonly _bindings: Bindings })._bindings;
}

function sizeMismatch(built: StructureSizes, measured: StructureSizes): string | undefined {
  for (const name of ["contextParamsBytes", "modelParamsBytes"] as const) {
    const padded = Math.ceil(measured[name] / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;
    if (padded !== built[name]) {
      return `it was built for ${name} of ${built[name]}, the library's are ${padded}`;
    }
  }
  return undefined;
}

/** What no default is, so that it reads back only from the right place. */
const CANARY = { contextSize: 2311, batchSize: 53, sequences: 7, threads: 3, gpuLayers: 37 };

/** Objects that are never initialised: what the binding was asked for has to read back. */
async function canaryMismatch(
  bindings: Bindings,
  native: NativeCompanion,
): Promise<string | undefined> {
  const model = new bindings.AddonModel("", { addonExports: bindings, ...CANARY });
  const context = new bindings.AddonContext(model, CANARY);
  const { contextSize, batchSize, sequences, threads } = native.readContext(context);
  const { gpuLayers } = native.readModel(model);
  const read = { contextSize, batchSize, sequences, threads, gpuLayers };
  await context.dispose();
  await model.dispose();
  return isDeepStrictEqual(read, CANARY)
    ? undefined
    : `it reads ${JSON.stringify(read)} from objects made with ${JSON.stringify(CANARY)}`;
}

function absent(reason: string): Companion {
  return { state: "absent", reason };
}
