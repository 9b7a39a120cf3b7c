import { rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { sumBy } from "../../core/sum-by.js";
import { isBelow } from "../../files/below-folder.js";
import { FileLock, LockHeldError } from "../../files/file-lock.js";
import { ModelError } from "../model-error.js";
import { filesOf, type StoredFile, type StoredModel, textsOf } from "./stored-model.js";

/** Result of a removal. */
export interface Removal {
  /** `forgotten`: the model was unregistered, and its files stay where they are. */
  readonly outcome: "removed" | "forgotten";
  readonly name: string;
  readonly paths: readonly string[];
  readonly freedBytes: number;
}

/** Model whose files ggufd may remove. */
export type OwnModel = Extract<StoredModel, { readonly place: "pulled" | "folder" }>;

/**
 * Removes a model of ggufd's folder, except files that other models use, and the folders that
 * become empty.
 * @param folder ggufd's model folder
 * @param others all other models
 * @throws {ModelError} `in_use`: the model is being pulled, or was put there by a user and others
 *   derive from it
 */
export async function removeOwnModel(
  folder: string,
  model: OwnModel,
  others: readonly StoredModel[],
): Promise<Removal> {
  const lock = await acquireLock(model);
  try {
    const sharedPaths = new Set(others.flatMap(allPathsOf));
    // A model derived from another program's has its weights in that program's folder.
    const unsharedFiles = filesOf(model).filter(
      ({ path }) => isBelow(folder, path) && !sharedPaths.has(path),
    );
    if (model.place === "folder" && unsharedFiles.length === 0)
      throw createStillUsedError(model, others);
    const texts = textPathsOf(model).filter((path) => !sharedPaths.has(path));
    // The manifest goes first, so that an interrupted removal does not leave a model with missing
    // files.
    if (model.place === "pulled") await removeFile(folder, model.manifestPath);
    for (const path of [...unsharedFiles.map((file) => file.path), ...texts]) {
      await removeFile(folder, path);
    }
    return {
      outcome: "removed",
      name: model.name,
      paths: unsharedFiles.map(({ path }) => path),
      freedBytes: sumBy(unsharedFiles, ({ sizeBytes }) => sizeBytes),
    };
  } finally {
    await lock?.release();
    if (model.place === "pulled") await removeEmptyFolders(folder, dirname(model.manifestPath));
  }
}

/** Removes the partial file of an interrupted pull, with its identity file. */
export async function removePartial(
  folder: string,
  { path, sizeBytes }: StoredFile,
): Promise<Removal> {
  await removeFile(folder, path);
  await removeFile(folder, `${path}.json`);
  return { outcome: "removed", name: path, paths: [path], freedBytes: sizeBytes };
}

/**
 * Creates the error for removing another program's model, which says how that program removes it.
 */
export function createRemovalError(
  model: Exclude<StoredModel, OwnModel | { readonly place: "added" }>,
): ModelError {
  const location = {
    ollama: `a model of Ollama; remove it with ollama rm ${model.name}`,
    "hugging-face": `in Hugging Face's cache; remove it with hf cache rm`,
    "lm-studio": "a model of LM Studio; remove it there in My Models",
  }[model.place];
  return new ModelError(
    "not_ours",
    `${model.name}: expected a model in ggufd's own folder, got ${model.files[0].path}, which is ${location}`,
  );
}

/** Creates the error for a model whose files are all used by other models. */
function createStillUsedError(model: OwnModel, others: readonly StoredModel[]): ModelError {
  const users = others.filter((other) => other.files[0].path === model.files[0].path);
  const names = users.map(({ name }) => name).join(", ");
  return new ModelError("in_use", `${model.name}: its files are also used by ${names}`);
}

async function acquireLock(model: OwnModel): Promise<FileLock | undefined> {
  if (model.place !== "pulled") return undefined;
  try {
    return await FileLock.acquire(`${model.manifestPath}.lock`);
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    throw new ModelError(
      "in_use",
      `${model.name}: the model is being pulled, ${error.message}`,
      error,
    );
  }
}

function allPathsOf(model: StoredModel): readonly string[] {
  return [...filesOf(model).map(({ path }) => path), ...textPathsOf(model)];
}

function textPathsOf(model: StoredModel): readonly string[] {
  return model.place === "pulled" ? textsOf(model).map(({ path }) => path) : [];
}

async function removeFile(folder: string, path: string): Promise<void> {
  if (!isBelow(folder, path)) {
    throw new ModelError("not_ours", `${path}: expected a file below ${folder}`);
  }
  await rm(path, { force: true });
  await removeEmptyFolders(folder, dirname(path));
}

async function removeEmptyFolders(folder: string, from: string): Promise<void> {
  for (let path = from; isBelow(folder, path); path = dirname(path)) {
    try {
      await rmdir(path);
    } catch {
      // The folder is not empty, or does not exist.
      return;
    }
  }
}
