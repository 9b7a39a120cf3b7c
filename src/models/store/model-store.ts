import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { formatReason } from "../../core/format-reason.js";
import { hasHiddenCharacters } from "../../core/hidden-characters.js";
import { createFolder } from "../../files/durable-file.js";
import { FileLock, LockHeldError } from "../../files/file-lock.js";
import { nodeFileSystem } from "../../files/file-system.js";
import { preview } from "../../validation/preview.js";
import { ModelError } from "../model-error.js";
import {
  findAddedModels,
  MAX_FOLDER_DEPTH,
  readAddedPaths,
  writeAddedPaths,
} from "./added-paths.js";
import { findModel } from "./find-model.js";
import { groupIntoModels } from "./folder-models.js";
import { listHuggingFaceModels } from "./hugging-face-cache.js";
import type { ModelPlaces } from "./model-folders.js";
import { listOllamaModels } from "./ollama-models.js";
import { listOwnModels, PARTIAL, type StoreProblem } from "./own-models.js";
import { createRemovalError, type Removal, removeOwnModel, removePartial } from "./remove-model.js";
import type { StoredFile, StoredModel } from "./stored-model.js";
import { walkGgufFiles } from "./walk-folder.js";

/** All models on this machine. */
export interface StoreListing {
  /** Models by place, ggufd's own first, then by name. */
  readonly models: readonly StoredModel[];
  /** Partial files of interrupted pulls. */
  readonly partials: readonly StoredFile[];
  /** Unusable manifests and registered paths; their models are missing in the list. */
  readonly problems: readonly StoreProblem[];
}

/**
 * Models on this machine, in ggufd's folder and in those of other programs. Nothing is cached: each
 * call reads names, sizes and manifests again, which takes milliseconds for hundreds of files.
 */
export class ModelStore {
  readonly places: ModelPlaces;

  constructor(places: ModelPlaces) {
    this.places = places;
  }

  /** @throws {Error} a folder of ggufd cannot be read */
  async list(): Promise<StoreListing> {
    const { own, huggingFaceCaches, ollama, lmStudio } = this.places;
    const [ownListing, addedListing, ...others] = await Promise.all([
      listOwnModels(own),
      this.#listAddedModels(),
      ...huggingFaceCaches.map(listHuggingFaceModels),
      ...ollama.map(listOllamaModels),
      ...lmStudio.map(listLmStudioModels),
    ]);
    const sortByName = (models: readonly StoredModel[]) =>
      models.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const orderedModels = [ownListing.models, addedListing.models, ...others].flatMap(sortByName);
    const models = withoutRepeatedFiles(orderedModels);
    const unnameableModels = models.filter((model) => hiddenNameOf(model) !== undefined);
    return {
      models: models.filter((model) => !unnameableModels.includes(model)),
      partials: ownListing.partials,
      problems: [
        ...ownListing.problems,
        ...addedListing.problems,
        ...unnameableModels.map((model) => ({
          path: model.files[0].path,
          reason: `expected a name without control or format characters, got ${preview(hiddenNameOf(model))}`,
        })),
      ],
    };
  }

  /**
   * Finds a model by a name as understood by {@link findModel}.
   * @throws {ModelError} `not_found`, `ambiguous`
   */
  async find(name: string): Promise<StoredModel> {
    const { models, problems } = await this.list();
    const found = findModel(models, name);
    if (found !== undefined) return found;
    const unusableNote = problems.length === 0 ? "" : ` (${problems.length} more are unusable)`;
    throw new ModelError(
      "not_found",
      `${preview(name)}: expected the name of a model on this machine, which has ${models.length}${unusableNote}`,
    );
  }

  /**
   * Registers a GGUF file, or a folder of such files, in place. Idempotent.
   * @returns the models at the path
   * @throws {ModelError} `not_found`; `invalid_name`: the path contains no model; `in_use`
   */
  async add(path: string): Promise<readonly StoredModel[]> {
    const absolutePath = resolve(path);
    const info = await stat(absolutePath).catch((error: unknown) => {
      throw new ModelError("not_found", `${preview(path)}: ${formatReason(error)}`, error);
    });
    const models = await findAddedModels(absolutePath);
    if (models.length === 0) {
      const expected = info.isFile()
        ? "a GGUF file with all its parts in the same folder"
        : "a folder with GGUF files";
      throw new ModelError("invalid_name", `${preview(path)}: expected ${expected}, got none`);
    }
    await this.#changeAddedPaths((paths) => [...new Set([...paths, absolutePath])]);
    return models;
  }

  /**
   * Removes a model of ggufd's own folder, unregisters an added one, or removes the partial file of
   * an interrupted pull, given its path.
   * @throws {ModelError} `not_found`, `ambiguous`, `not_ours`, `in_use`
   */
  async remove(name: string): Promise<Removal> {
    const { models, partials } = await this.list();
    const partial = partials.find(({ path }) =>
      [path, path.slice(0, -PARTIAL.length)].includes(name),
    );
    if (partial !== undefined) return removePartial(this.places.own, partial);
    const model = findModel(models, name) ?? (await this.find(name));
    switch (model.place) {
      case "pulled":
      case "folder": {
        const others = models.filter((other) => other !== model);
        return removeOwnModel(this.places.own, model, others);
      }
      case "added":
        await this.#changeAddedPaths((paths) => paths.filter((path) => path !== model.addedPath));
        return { outcome: "forgotten", name: model.name, paths: [model.addedPath], freedBytes: 0 };
      default:
        throw createRemovalError(model);
    }
  }

  async #listAddedModels(): Promise<Pick<StoreListing, "models" | "problems">> {
    try {
      const paths = await readAddedPaths(this.places.own);
      const models = await Promise.all(paths.map(findAddedModels));
      const problems = paths.flatMap((path, index) =>
        models[index]?.length === 0
          ? [{ path, reason: "the added path no longer contains a model" }]
          : [],
      );
      return { models: models.flat(), problems };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return { models: [], problems: [{ path: this.places.own, reason: error.message }] };
    }
  }

  async #changeAddedPaths(change: (paths: readonly string[]) => readonly string[]): Promise<void> {
    await createFolder(nodeFileSystem, this.places.own);
    const path = join(this.places.own, "added.json.lock");
    const lock = await FileLock.acquire(path).catch((error: unknown) => {
      if (!(error instanceof LockHeldError)) throw error;
      throw new ModelError("in_use", `${path}: ${error.message}`, error);
    });
    try {
      await writeAddedPaths(this.places.own, change(await readAddedPaths(this.places.own)));
    } finally {
      await lock.release();
    }
  }
}

/**
 * Lists the models of LM Studio, whose folder has a folder per user with a folder per repository.
 */
async function listLmStudioModels(folder: string): Promise<readonly StoredModel[]> {
  const found = await walkGgufFiles(folder, { maxDepth: MAX_FOLDER_DEPTH });
  return groupIntoModels(found).map((model) => ({ ...model, place: "lm-studio" }));
}

/**
 * Removes duplicates by file and name: a registered folder may contain, or lie in, another model
 * folder. Two Ollama tags of the same file are both kept.
 */
function withoutRepeatedFiles(models: readonly StoredModel[]): readonly StoredModel[] {
  const byFile = new Map(models.toReversed().map((model) => [keyOf(model), model]));
  return models.filter((model) => byFile.get(keyOf(model)) === model);
}

function keyOf({ files: [{ path }], name }: StoredModel): string {
  return `${path}\n${name}`;
}

/** Returns the first of a model's names that has hidden characters. */
function hiddenNameOf({ name, aliases }: StoredModel): string | undefined {
  return [name, ...aliases].find(hasHiddenCharacters);
}
