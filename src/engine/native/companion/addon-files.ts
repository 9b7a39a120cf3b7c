import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { familySync, GLIBC } from "detect-libc";

const require = createRequire(import.meta.url);

/**
 * The companion itself, libmtmd for models with a projector, the decoder of images and audio, and
 * llama.cpp's RPC for the devices of other machines.
 */
export type AddonName = "companion" | "media" | "decoder" | "rpc";

/** Source folder of each addon. */
const SOURCE_FOLDERS = {
  companion: "native",
  media: "media",
  decoder: "decoder",
  rpc: "rpc",
} as const satisfies Record<AddonName, string>;

/** File name suffixes of prebuilt addons. */
const SUFFIXES = {
  companion: ".node",
  media: ".media.node",
  decoder: ".decoder.node",
  rpc: ".rpc.node",
} as const satisfies Record<AddonName, string>;

/** Folders that contain addons. */
export interface AddonFolders {
  /** Prebuilt files, named by platform. */
  readonly prebuilt: string;
  /** Files compiled on this machine. */
  readonly compiled: string;
}

/** Returns the folder of an addon's sources, which ship with the package. */
export function sourceFolder(addon: AddonName): string {
  return fileURLToPath(new URL(SOURCE_FOLDERS[addon], import.meta.url));
}

/**
 * Returns the addon folders; compiled files are in `$XDG_CACHE_HOME/ggufd/native`, by default under
 * `~/.cache`.
 */
export function findAddonFolders(environment: NodeJS.ProcessEnv = process.env): AddonFolders {
  const cache = environment.XDG_CACHE_HOME || join(homedir(), ".cache");
  return {
    prebuilt: fileURLToPath(new URL("prebuilt", import.meta.url)),
    compiled: join(cache, "ggufd", "native"),
  };
}

/** Returns the folder of the package with llama.cpp's binding and sources. */
export function findBindingFolder(): string {
  return dirname(dirname(require.resolve("node-llama-cpp")));
}

/**
 * Returns the file to load: the prebuilt one for this platform if it exists, otherwise the one
 * compiled on this machine.
 */
export function findAddonFile(
  addon: AddonName,
  locations: AddonFolders = findAddonFolders(),
): string {
  const prebuilt = findPrebuiltFile(addon, locations);
  if (prebuilt !== undefined && existsSync(prebuilt)) return prebuilt;
  return join(locations.compiled, `${addon}-${computeCompilationKey()}.node`);
}

/**
 * Returns the prebuilt file for this platform; `undefined` on Linux without glibc, which it links
 * against.
 */
function findPrebuiltFile(addon: AddonName, { prebuilt }: AddonFolders): string | undefined {
  if (process.platform === "linux" && familySync() !== GLIBC) return undefined;
  return join(prebuilt, `${process.platform}-${process.arch}${SUFFIXES[addon]}`);
}

/** Returns a hash of everything that a compiled file depends on. */
function computeCompilationKey(): string {
  const hash = createHash("sha256");
  hash.update(`${process.platform} ${process.arch} ${familySync()} ${process.versions.napi} `);
  hash.update(readFileSync(join(findBindingFolder(), "package.json")));
  // The addons include each other's headers.
  for (const addon of Object.keys(SOURCE_FOLDERS) as AddonName[]) {
    const sources = sourceFolder(addon);
    for (const file of readdirSync(sources).toSorted())
      hash.update(readFileSync(join(sources, file)));
  }
  return hash.digest("hex").slice(0, 16);
}
