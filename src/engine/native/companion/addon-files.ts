import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { familySync, GLIBC } from "detect-libc";

const require = createRequire(import.meta.url);

/** The companion itself, libmtmd for models with a projector, and the decoder of images and audio. */
export type AddonName = "companion" | "media" | "decoder";

/** The folder of each addon's sources. */
const SOURCE_FOLDERS = {
  companion: "native",
  media: "media",
  decoder: "decoder",
} as const satisfies Record<AddonName, string>;

/** The ends of the names of ready-built files. */
const ENDINGS = {
  companion: ".node",
  media: ".media.node",
  decoder: ".decoder.node",
} as const satisfies Record<AddonName, string>;

/** Where addons are looked for. */
export interface AddonPlaces {
  /** Ready-built files, named by platform. */
  readonly prebuilt: string;
  /** Files compiled on this machine. */
  readonly compiled: string;
}

/** The sources of an addon, which ship with the package. */
export function sourceFolder(addon: AddonName): string {
  return fileURLToPath(new URL(SOURCE_FOLDERS[addon], import.meta.url));
}

/** `$XDG_CACHE_HOME/ggufd/native`, by default in the home directory's `.cache`. */
export function addonPlaces(environment: NodeJS.ProcessEnv = process.env): AddonPlaces {
  const cache = environment.XDG_CACHE_HOME || join(homedir(), ".cache");
  return {
    prebuilt: fileURLToPath(new URL("prebuilt", import.meta.url)),
    compiled: join(cache, "ggufd", "native"),
  };
}

/** The package with llama.cpp's binding and its sources. */
export function bindingFolder(): string {
  return dirname(dirname(require.resolve("node-llama-cpp")));
}

/** The file to load: the ready-built one for this platform, otherwise the one to be compiled here. */
export function addonFile(addon: AddonName, places: AddonPlaces = addonPlaces()): string {
  const prebuilt = readyBuiltFile(addon, places);
  if (prebuilt !== undefined && existsSync(prebuilt)) return prebuilt;
  return join(places.compiled, `${addon}-${compilationKey()}.node`);
}

/** Ready-built files link against glibc. */
function readyBuiltFile(addon: AddonName, { prebuilt }: AddonPlaces): string | undefined {
  if (process.platform === "linux" && familySync() !== GLIBC) return undefined;
  return join(prebuilt, `${process.platform}-${process.arch}${ENDINGS[addon]}`);
}

/** Changes with whatever a compiled file depends on. */
function compilationKey(): string {
  const hash = createHash("sha256");
  hash.update(`${process.platform} ${process.arch} ${familySync()} ${process.versions.napi} `);
  hash.update(readFileSync(join(bindingFolder(), "package.json")));
  // They include each other's headers.
  for (const addon of ["companion", "media", "decoder"] as const) {
    const sources = sourceFolder(addon);
    for (const file of readdirSync(sources).toSorted())
      hash.update(readFileSync(join(sources, file)));
  }
  return hash.digest("hex").slice(0, 16);
}
