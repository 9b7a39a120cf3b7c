import { posix } from "node:path";
import { bitsOfTag, buildPartNames, parseBaseName, readGgufName, roleOfName } from "./gguf-name.js";

/** Object with a path with `/` as separator: a file on disk or in a repository. */
export interface FileWithPath {
  readonly path: string;
}

/** Files of one model. */
export interface FileGroup<File extends FileWithPath> {
  /** All parts, in order. */
  readonly files: readonly [File, ...File[]];
  readonly projector: File | undefined;
}

/** `repository`: one model in several quantisations; `folder`: any models. */
export type TreeKind = "repository" | "folder";

/**
 * Groups the files of a tree into models, in the order of their first parts. Incomplete models are
 * left out.
 */
export function groupFiles<File extends FileWithPath>(
  kind: TreeKind,
  files: readonly File[],
): FileGroup<File>[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const models = files.flatMap((file) => {
    const name = readGgufName(file.path);
    if (name?.part !== 1 || roleOfName(file.path) !== "model") return [];
    const others = buildPartNames(file.path)
      .slice(1)
      .map((path) => byPath.get(path));
    return others.every((other) => other !== undefined) ? [[file, ...others] as const] : [];
  });
  const firstParts = models.map(([first]) => first);
  const projectors = files.filter(isProjector).map((file) => ({
    file,
    isFor: kind === "repository" ? () => true : createProjectorMatcher(file, firstParts),
  }));
  return models.map((parts) => {
    const [first] = parts;
    const matchingProjectors = projectors
      .filter(({ isFor }) => isFor(first))
      .map(({ file }) => file);
    return { files: parts, projector: findProjector(first, matchingProjectors) };
  });
}

/**
 * Chooses the projector of a model, from its folder or one above it: the deepest one, then the one
 * with bits closest to the model's, as in llama.cpp (`find_best_sibling` in `common/download.cpp`).
 */
export function findProjector<File extends FileWithPath>(
  model: File,
  files: readonly File[],
): File | undefined {
  const modelBits = bitsOfTag(readGgufName(model.path)?.tag);
  const measureDistance = ({ path }: File) =>
    Math.abs(bitsOfTag(readGgufName(path)?.tag) - modelBits);
  const measureDepth = ({ path }: File) => path.split("/").length;
  const [best] = files
    .filter((file) => isProjector(file) && isInFolderOrAbove(file.path, model.path))
    .toSorted(
      (a, b) =>
        measureDepth(b) - measureDepth(a) ||
        measureDistance(a) - measureDistance(b) ||
        (a.path < b.path ? -1 : 1),
    );
  return best;
}

function isProjector({ path }: FileWithPath): boolean {
  return readGgufName(path) !== undefined && roleOfName(path) === "projector";
}

/**
 * Returns a predicate for the models that a projector belongs to. In a folder with models of
 * several names, the projector's name must contain the model's.
 */
function createProjectorMatcher(
  projector: FileWithPath,
  models: readonly FileWithPath[],
): (model: FileWithPath) => boolean {
  const nearbyModels = models.filter(({ path }) => isInFolderOrAbove(projector.path, path));
  if (new Set(nearbyModels.map(({ path }) => parseBaseName(path))).size === 1) return () => true;
  const name = posix.basename(projector.path).toLowerCase();
  return ({ path }) => name.includes(parseBaseName(path));
}

/** Whether a file is in the folder of another one, or in one above it. */
function isInFolderOrAbove(path: string, inner: string): boolean {
  const folder = posix.dirname(path);
  return folder === "." || posix.dirname(inner) === folder || inner.startsWith(`${folder}/`);
}
