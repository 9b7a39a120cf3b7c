import { join, relative, resolve, sep } from "node:path";
import { formatReason } from "../../core/format-reason.js";
import { MAX_FOLDER_DEPTH } from "./added-paths.js";
import { groupIntoModels } from "./folder-models.js";
import { MANIFESTS, type Manifest, type ManifestFile, pathsOf, readManifest } from "./manifest.js";
import type { StoredFile, StoredModel } from "./stored-model.js";
import { type FoundFile, readEntries, statFile, walkGgufFiles } from "./walk-folder.js";

/** Problem of a file that makes a stored model unavailable. */
export interface StoreProblem {
  readonly path: string;
  readonly reason: string;
}

/** Contents of ggufd's own folder. */
export interface OwnModels {
  readonly models: readonly StoredModel[];
  /** Partial files of interrupted pulls, which the next pull resumes. */
  readonly partials: readonly StoredFile[];
  readonly problems: readonly StoreProblem[];
}

/** Suffix of a file that is being downloaded, next to its final place. */
export const PARTIAL = ".part";

/** Manifest and its path. */
export interface FoundManifest {
  readonly path: string;
  readonly manifest: Manifest;
}

/** Maximum depth of ggufd's own folder: `hf/user/repo/quantisation/file`. */
const MAX_DEPTH = MAX_FOLDER_DEPTH + 2;
/** Maximum depth of manifests: `url/host/` and the path of a URL. */
const MAX_MANIFEST_DEPTH = 12;

/**
 * Lists the models pulled by ggufd, by their manifests, and GGUF files that users put into its
 * folder.
 */
export async function listOwnModels(folder: string): Promise<OwnModels> {
  const { manifests, problems } = await readManifests(folder);
  const readModels = await Promise.all(manifests.map((found) => readPulledModel(folder, found)));
  const manifestFiles = collectManifestFiles(manifests);
  const found = await walkGgufFiles(folder, {
    maxDepth: MAX_DEPTH,
    except: [MANIFESTS],
    extraSuffix: PARTIAL,
  });
  const isPartial = ({ path }: FoundFile) => path.endsWith(PARTIAL);
  const plainModels = groupIntoModels(
    found.filter(({ path }) => !manifestFiles.pulled.has(path)),
  ).filter(({ name, files: [{ path }] }) => {
    const baseNames = manifestFiles.made.get(toRelativePath(folder, path));
    // Hides files of a removed model, which are kept for the models derived from it.
    return baseNames === undefined || baseNames.has(name);
  });
  return {
    models: [
      ...readModels.filter((one) => "place" in one),
      ...plainModels.map((model): StoredModel => ({ ...model, place: "folder" })),
    ],
    partials: found.filter(isPartial).map(({ file }) => file),
    problems: [...problems, ...readModels.filter((one) => "reason" in one)],
  };
}

/**
 * Returns the paths of all files in manifests: of pulled models, and of derived models with the
 * names of their bases.
 */
function collectManifestFiles(manifests: readonly FoundManifest[]): {
  readonly pulled: ReadonlySet<string>;
  readonly made: ReadonlyMap<string, ReadonlySet<string>>;
} {
  const pulled = new Set<string>();
  const made = new Map<string, Set<string>>();
  for (const { manifest } of manifests) {
    for (const { path } of pathsOf(manifest)) {
      if (manifest.origin.kind !== "made") pulled.add(path);
      else made.set(path, (made.get(path) ?? new Set()).add(manifest.origin.from));
    }
  }
  return { pulled, made };
}

/** Reads all manifests, and reports the unreadable ones. */
export async function readManifests(folder: string): Promise<{
  readonly manifests: readonly FoundManifest[];
  readonly problems: readonly StoreProblem[];
}> {
  const paths = await listManifests(join(folder, MANIFESTS), MAX_MANIFEST_DEPTH);
  const results = await Promise.all(
    paths.map(async (path): Promise<FoundManifest | StoreProblem> => {
      try {
        return { path, manifest: await readManifest(path) };
      } catch (error) {
        return { path, reason: formatReason(error) };
      }
    }),
  );
  return {
    manifests: results.filter((one) => "manifest" in one),
    problems: results.filter((one) => "reason" in one),
  };
}

/** Returns the model of a manifest, if its files match the manifest. */
export async function readPulledModel(
  folder: string,
  { path, manifest }: FoundManifest,
): Promise<StoredModel | StoreProblem> {
  const readStoredFile = (entry: ManifestFile) =>
    statFile(resolve(folder, entry.path), entry.sha256);
  const mismatches = (
    await Promise.all(
      pathsOf(manifest).map(async (entry) => {
        const file = await statFile(resolve(folder, entry.path));
        if (file?.sizeBytes === entry.sizeBytes) return [];
        const got = file === undefined ? "none" : `one of ${file.sizeBytes}`;
        return [`${entry.path}: expected a file of ${entry.sizeBytes} bytes, got ${got}`];
      }),
    )
  ).flat();
  const [first, ...others] = await Promise.all(manifest.files.map(readStoredFile));
  if (first === undefined || mismatches.length > 0) return { path, reason: mismatches.join("; ") };
  const { name, aliases, sources, pulledAt, origin } = manifest;
  return {
    name,
    aliases,
    files: [first, ...others.filter((file) => file !== undefined)],
    projector: manifest.projector && (await readStoredFile(manifest.projector)),
    adapters: (await Promise.all(manifest.adapters.map(readStoredFile))).filter(
      (file): file is StoredFile => file !== undefined,
    ),
    place: "pulled",
    origin: "texts" in origin ? withAbsoluteTexts(folder, origin) : origin,
    manifestPath: path,
    sources,
    pulledAt,
  };
}

function withAbsoluteTexts(
  folder: string,
  origin: Extract<Manifest["origin"], { readonly texts: unknown }>,
) {
  return {
    ...origin,
    texts: origin.texts.map((text) => ({ ...text, path: join(folder, text.path) })),
  };
}

/** Returns a path relative to ggufd's folder, as written in manifests. */
export function toRelativePath(folder: string, path: string): string {
  return relative(folder, path).split(sep).join("/");
}

async function listManifests(folder: string, maxDepth: number): Promise<string[]> {
  const nestedPaths = (await readEntries(folder)).map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return maxDepth === 0 ? [] : listManifests(path, maxDepth - 1);
    return entry.isFile() && entry.name.endsWith(".json") ? [path] : [];
  });
  return (await Promise.all(nestedPaths)).flat();
}
