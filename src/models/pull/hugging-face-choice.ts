import { ModelError } from "../model-error.js";
import { buildPartNames, hasTag, readGgufName, roleOfName } from "../store/gguf-name.js";
import { findProjector, type Pathed } from "../store/group-files.js";
import type { FileSelection } from "./pull-source.js";

/** Quantisations preferred if none is named, as in llama.cpp (`find_best_model`). */
export const USUAL_TAGS = ["Q4_K_M", "Q8_0"] as const;

/** Maximum number of files listed in an error. */
const MAX_NAMED = 12;

/** Files of a repository that make up one model. */
export interface ChosenFiles<File extends Pathed> {
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
export function chooseFiles<File extends Pathed>(
  repo: string,
  files: readonly File[],
  selection: FileSelection,
): ChosenFiles<File> {
  const first = firstPart(files, selection);
  if (first === undefined) throw new ModelError("not_found", notThere(repo, files, selection));
  const byPath = new Map(files.map((file) => [file.path, file]));
  const others = buildPartNames(first.path)
    .slice(1)
    .map((path) => {
      const file = byPath.get(path);
      if (file !== undefined) return file;
      throw new ModelError(
        "invalid_answer",
        `${repo}: expected all parts of ${first.path}, got none at ${path}`,
      );
    });
  return { parts: [first, ...others], projector: findProjector(first, files) };
}

function firstPart<File extends Pathed>(
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
  const ofTag = (tag: string) => models.find(({ path }) => hasTag(path, tag));
  if (selection.by === "tag") return ofTag(selection.tag);
  return USUAL_TAGS.map(ofTag).find((file) => file !== undefined) ?? models[0];
}

function notThere(repo: string, files: readonly Pathed[], selection: FileSelection): string {
  const names = files
    .map(({ path }) => path)
    .filter((path) => readGgufName(path)?.part === 1 && roleOfName(path) === "model");
  if (names.length === 0) return `${repo}: expected a repository with GGUF files, got one without`;
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  const wanted =
    selection.by === "file"
      ? selection.file
      : `a file with ${selection.by === "tag" ? selection.tag : "weights"}`;
  return `${repo}: expected ${wanted}, got ${names.slice(0, MAX_NAMED).join(", ")}${more}`;
}
