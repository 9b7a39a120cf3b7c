import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { formatReason } from "../../core/format-reason.js";
import { replaceDurably } from "../../files/durable-file.js";
import { nodeFileSystem } from "../../files/file-system.js";
import { unlessMissing } from "../../files/system-errors.js";
import { ModelError } from "../model-error.js";
import { groupIntoModels } from "./folder-models.js";
import { buildPartNames } from "./gguf-name.js";
import type { StoredModel } from "./stored-model.js";
import { statFile, walkGgufFiles } from "./walk-folder.js";

/** Paths registered by `ggufd add`: absolute paths of files and folders. */
const addedPathsFile = z.object({ version: z.literal(1), paths: z.array(z.string()) });

const FILE = "added.json";
/** Depth of a model folder, which may have subfolders for users, models and quantisations. */
export const MAX_FOLDER_DEPTH = 5;

/** @throws {ModelError} `storage`: the file is damaged */
export async function readAddedPaths(folder: string): Promise<readonly string[]> {
  const path = join(folder, FILE);
  try {
    const text = await unlessMissing(readFile(path, "utf8"));
    return text === undefined ? [] : addedPathsFile.parse(JSON.parse(text)).paths;
  } catch (error) {
    const reason = error instanceof z.ZodError ? "not a list of added paths" : formatReason(error);
    throw new ModelError("storage", `${path}: ${reason}`, error);
  }
}

export async function writeAddedPaths(folder: string, paths: readonly string[]): Promise<void> {
  const chunks = [Buffer.from(`${JSON.stringify({ version: 1, paths }, null, 2)}\n`)];
  await replaceDurably(nodeFileSystem, { path: join(folder, FILE), chunks, mode: undefined });
}

/**
 * Finds the models of a registered path: those in a folder, or that of a file with its other parts
 * and a projector from the same folder.
 */
export async function findAddedModels(addedPath: string): Promise<readonly StoredModel[]> {
  const file = await statFile(addedPath);
  if (file === undefined) {
    const found = await walkGgufFiles(addedPath, { maxDepth: MAX_FOLDER_DEPTH });
    return groupIntoModels(found).map((model) => ({ ...model, place: "added", addedPath }));
  }
  const siblings = await walkGgufFiles(dirname(addedPath), { maxDepth: 0 });
  const [first] = buildPartNames(addedPath);
  return groupIntoModels(siblings)
    .filter(({ files }) => files[0].path === first)
    .map((model) => ({ ...model, place: "added", addedPath }));
}
