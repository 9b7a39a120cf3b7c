import { randomUUID } from "node:crypto";
import { access, constants, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { createRefusal, GgufdError } from "../../core/errors.js";
import { formatReason } from "../../core/format-reason.js";
import { StartupError } from "../../core/startup-error.js";
import type { PromptIdentity } from "./prompt-identity.js";
import {
  computeChecksum,
  MANIFEST_SUFFIX,
  makeFolder,
  readManifest,
  removeState,
  STATE_SUFFIX,
  sealState,
} from "./state-files.js";

/** A saved state that has been verified. */
export interface SlotFile {
  readonly path: string;
  readonly prompt: PromptIdentity;
  readonly bytes: number;
}

/**
 * Slot states that an operator saves and restores by name, in the operator's folder. The files have checksums, like
 * those of a `StateStore`; none is ever deleted here.
 */
export class SlotFiles {
  readonly #folder: string;
  readonly #identityOf: () => Promise<string>;

  private constructor(folder: string, identityOf: () => Promise<string>) {
    this.#folder = folder;
    this.#identityOf = identityOf;
  }

  /**
   * Opens a folder, and creates it if it does not exist.
   * @param identityOf returns the identity of states apart from their prompts; called with each command
   * @throws {StartupError} if the folder cannot be used
   */
  static async open(folder: string, identityOf: () => Promise<string>): Promise<SlotFiles> {
    try {
      await makeFolder(folder);
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new StartupError(`--slot-save-path ${folder}: ${formatReason(error)}`, error);
    }
    return new SlotFiles(folder, identityOf);
  }

  /**
   * Saves a state under a name; replaces an existing state of that name once the new file is complete.
   * @param write writes the state with llama.cpp
   * @returns the size of the file
   * @throws {GgufdError} `storage_unavailable`
   */
  async save(
    name: string,
    prompt: PromptIdentity,
    write: (path: string) => Promise<number>,
  ): Promise<number> {
    const identity = await this.#identityOf();
    const path = this.#pathOf(name);
    const temporaryPath = join(this.#folder, `.${randomUUID()}${STATE_SUFFIX}`);
    try {
      const bytes = await write(temporaryPath);
      await sealState(temporaryPath, { identity, prompt });
      await rename(temporaryPath, path);
      await rename(temporaryPath + MANIFEST_SUFFIX, path + MANIFEST_SUFFIX);
      return bytes;
    } catch (cause) {
      await removeState(temporaryPath);
      throw new GgufdError("storage_unavailable", "The state could not be written.", { cause });
    }
  }

  /**
   * Finds a state by its name, and verifies it.
   * @throws {GgufdError} `not_found`; `invalid_request` if this model cannot read the state
   */
  async find(name: string): Promise<SlotFile> {
    const path = this.#pathOf(name);
    const manifest = await readManifest(path).catch(() => undefined);
    if (manifest === undefined) {
      throw new GgufdError("not_found", `There is no saved state ${JSON.stringify(name)}.`, {
        param: "filename",
      });
    }
    const { prompt, checksum } = manifest;
    const identity = await this.#identityOf();
    const actualChecksum = await computeChecksum(path, { identity, prompt }).catch(() => undefined);
    if (actualChecksum !== checksum) {
      const reason =
        "expected an unmodified state of this model, saved by this version with the same cache settings";
      throw createRefusal("invalid_request", [{ field: "filename", reason }]);
    }
    return { path, prompt, bytes: (await stat(path)).size };
  }

  #pathOf(name: string): string {
    return join(this.#folder, name + STATE_SUFFIX);
  }
}
