import { findAdapter } from "../../core/adapters.js";
import { createRefusal, GgufdError, shortenName } from "../../core/errors.js";
import type { ModelDirectory, ModelUser, NamedState } from "../../core/model-directory.js";
import {
  type AdapterRequest,
  createAdaptersDisabledError,
  type RuntimeAdapters,
} from "../../core/runtime-adapters.js";
import { resolveBelow } from "../../files/below-folder.js";

export interface AdapterFolderOptions {
  /** All models, among which the name of an adapter is unique. */
  readonly models: Pick<ModelDirectory, "models">;
  /** Folder of loadable adapters; `undefined`: adapters can be neither loaded nor unloaded. */
  readonly folder: string | undefined;
}

/**
 * Adapters that clients load from a folder of this machine. Errors reveal nothing about files in
 * the folder or outside of it.
 */
export class AdapterFolder implements RuntimeAdapters {
  readonly #options: AdapterFolderOptions;

  constructor(options: AdapterFolderOptions) {
    this.#options = options;
  }

  async load(
    { name, path, model }: AdapterRequest,
    user: ModelUser,
    models: Pick<ModelDirectory, "models" | "resolve">,
  ): Promise<void> {
    const file = await resolveFileBelow(this.#expectFolder(), path);
    const owner = this.#options.models.models.find((one) => hasName(one, name));
    if (owner !== undefined) {
      const isKnown = models.models.some((one) => hasName(one, name));
      const ownership = [owner.alias, ...owner.aliases].includes(name)
        ? "a model"
        : `an adapter of ${isKnown ? owner.alias : "another model"}`;
      const reason = `expected a unique name, got ${shortenName(name)}, which ${ownership} has`;
      throw createRefusal("invalid_request", [{ field: "lora_name", reason }]);
    }
    const { adapters } = await models.resolve("generation", model, user);
    const adapter = { name, path: file, scale: 1, use: "when-asked" } as const;
    try {
      await adapters.change({ type: "load", adapter });
    } catch (error) {
      throw withoutFolder(error, { file, path });
    }
  }

  async unload(
    name: string,
    user: ModelUser,
    models: Pick<ModelDirectory, "models" | "resolve">,
  ): Promise<void> {
    this.#expectFolder();
    const isAdapter = models.models.some(
      (one) => one.alias !== name && findAdapter(one, name) !== undefined,
    );
    if (!isAdapter) {
      const message = `lora_name: expected a loaded adapter, got ${shortenName(name)}.`;
      throw new GgufdError("model_not_found", message, { param: "lora_name" });
    }
    const { adapters } = await models.resolve("generation", name, user);
    await adapters.change({ type: "unload", name });
  }

  #expectFolder(): string {
    const { folder } = this.#options;
    if (folder !== undefined) return folder;
    throw createAdaptersDisabledError();
  }
}

function hasName(model: NamedState, name: string): boolean {
  return [model.alias, ...model.aliases].includes(name) || findAdapter(model, name) !== undefined;
}

/**
 * Resolves a path sent by a client, following symbolic links.
 * @throws {GgufdError} `invalid_request`: the file does not exist below the folder
 */
async function resolveFileBelow(folder: string, path: string): Promise<string> {
  const file = await resolveBelow(folder, path).catch((error: unknown) => {
    throw new GgufdError("storage_unavailable", "The folder of adapters cannot be read.", {
      cause: error,
    });
  });
  if (file !== undefined) return file;
  const reason = `expected a file below the folder of adapters, got ${shortenName(path)}`;
  throw createRefusal("invalid_request", [{ field: "lora_path", reason }]);
}

/** Replaces the file's absolute path in an error with the path that the client sent. */
function withoutFolder(
  error: unknown,
  { file, path }: { readonly file: string; readonly path: string },
): unknown {
  if (!(error instanceof GgufdError) || error.code !== "invalid_request") return error;
  const { code, param, details, cause, message } = error;
  const clientMessage = message.replace(`lora ${file}`, `lora_path ${path}`).replaceAll(file, path);
  return new GgufdError(code, clientMessage, {
    ...(param !== undefined && { param }),
    details,
    cause,
  });
}
