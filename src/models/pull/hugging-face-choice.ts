import { ModelError } from "../model-error.js";
import { buildPartNames, hasTag, readGgufName, roleOfName } from "../store/gguf-name.js";
import { type FileWithPath, findProjector } from "../store/group-files.js";
import type { FileSelection } from "./pull-source.js";

/** Quantisations preferred if none is named, as in llama.cpp (`find_best_model`). */
export const PREFERRED_TAGS = ["Q4_K_M", "Q8_0"] as const;

/** Maximum number of files listed in an error. */
const MAX_LISTED_FILES = 12;

/** Files of a repository that make up one model. */
export interface ChosenFiles<File extends FileWithPath> {
  readonly parts: readonly [File, ...File[]];
  readonly projector: File | undefined;
}

/**
 * Chooses the files that a name refers to, with all parts of a split model and its best matching
 * projector.
 * @param repo repository, for errors
 * @throws {ModelError} `not_found`, listing the available files; `invalid_answer` if parts are
 *   missing
 */
export function chooseFiles<File extends FileWithPath>(
  repo: string,
  files: readonly File[],
  selection: FileSelection,
): ChosenFiles<File> {
  const first = findFirstPart(files, selection);
  if (first === undefined)
    throw new ModelError("not_found", describeMissing(repo, files, selection));
  const byPath = new Map(files.map((file) => [file.path, file]));
  const otherParts = buildPartNames(first.path)
    .slice(1)
    .map((path) => {
      const file = byPath.get(path);
      if (file !== undefined) return file;
      throw new ModelError(
        "invalid_answer",
        `${repo}: expected all parts of ${first.path}, got none at ${path}`,
      );
    });
  return { parts: [first, ...otherParts], projector: findProjector(first, files) };
}

function findFirstPart<File extends FileWithPath>(
  files: readonly File[],
  selection: FileSelection,
): File | undefined {
  if (selection.by === "file") {
    const [path] = buildPartNames(selection.file);
    return files.find((file) => file.path === path);
  }
  const models = files.filter(
    ({ path }) => roleOfName(path) === "model" && readGgufName(path)?.part === 1,
  );
  const findByTag = (tag: string) => models.find(({ path }) => hasTag(path, tag));
  if (selection.by === "tag") return findByTag(selection.tag);
  return PREFERRED_TAGS.map(findByTag).find((file) => file !== undefined) ?? models[0];
}

function describeMissing(
  repo: string,
  files: readonly FileWithPath[],
  selection: FileSelection,
): string {
  const names = files
    .map(({ path }) => path)
    .filter((path) => readGgufName(path)?.part === 1 && roleOfName(path) === "model");
  if (names.length === 0) return `${repo}: expected a repository with GGUF files, got one without`;
  const more =
    names.length > MAX_LISTED_FILES ? ` and ${names.length - MAX_LISTED_FILES} more` : "";
  const expectedFile =
    selection.by === "file"
      ? selection.file
      : `a file with ${selection.by === "tag" ? selection.tag : "weights"}`;
  return `${repo}: expected ${expectedFile}, got ${names.slice(0, MAX_LISTED_FILES).join(", ")}${more}`;
}
