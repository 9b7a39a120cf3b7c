import { GgufdError, shortenName } from "../../core/errors.js";
import type { HubQuery, HubSearch } from "../../core/hub-search.js";
import type { KeepTime } from "../../core/keep-time.js";
import { limitModel } from "../../core/limited-model.js";
import type { ModelDirectory, ServedModel } from "../../core/model-directory.js";
import type {
  LibraryEvent,
  LibraryModel,
  ModelFileFacts,
  ModelLibrary,
  ModelRecipe,
  ModelTexts,
  OngoingPull,
  PullRequest,
} from "../../core/model-library.js";
import { isPermitted, type ModelRights, permitsModel } from "../../core/model-rights.js";
import { createUnknownModelError } from "../pool/pool-refusals.js";

export interface PermittedLibraryOptions {
  readonly library: ModelLibrary;
  /** The models that the key may use. */
  readonly directory: Pick<ModelDirectory, "models">;
  readonly rights: ModelRights;
}

/**
 * The models of the library that a key may use, which it may change if its scopes permit that. Other
 * models do not exist for the key. A key with a list of models cannot download any: the name of a
 * downloaded model is known only when it has been stored.
 */
export class PermittedLibrary implements ModelLibrary {
  readonly #options: PermittedLibraryOptions;

  constructor(options: PermittedLibraryOptions) {
    this.#options = options;
  }

  async list(): Promise<readonly LibraryModel[]> {
    const models = await this.#library.list();
    return models.flatMap((model) =>
      permitsModel(this.#rights, model) ? this.#narrow(model) : [],
    );
  }

  reload(): Promise<void> {
    return this.#library.reload();
  }

  async findEntry(name: string): Promise<LibraryModel> {
    const model = await this.#library.findEntry(name).catch((error: unknown) => {
      // The error may name a similar model that the key may not use.
      if (error instanceof GgufdError && error.code === "model_not_found") throw this.#refuse(name);
      throw error;
    });
    if (!permitsModel(this.#rights, model)) throw this.#refuse(name);
    const isAdapter = model.adapters.some((adapter) => adapter.name === name);
    const isModel = [model.alias, ...model.aliases].includes(name);
    if (isAdapter && !isModel && !isPermitted(this.#rights.adapters, name))
      throw this.#refuse(name);
    return this.#narrow(model);
  }

  readHeaders(models: readonly LibraryModel[]): Promise<ReadonlyMap<string, ModelFileFacts>> {
    return this.#library.readHeaders(models);
  }

  readTexts(model: LibraryModel): Promise<ModelTexts> {
    return this.#library.readTexts(model);
  }

  async load(name: string, signal: AbortSignal): Promise<ServedModel> {
    const { alias } = await this.findEntry(name);
    return limitModel(await this.#library.load(alias, signal), this.#rights);
  }

  async unload(name: string): Promise<void> {
    const { alias } = await this.findEntry(name);
    return this.#library.unload(alias);
  }

  keepAlive(name: string, time: KeepTime): void {
    const models = this.#options.directory.models.filter(({ alias, aliases, adapters }) =>
      [alias, ...aliases, ...adapters.map((adapter) => adapter.name)].includes(name),
    );
    if (models.length === 0) throw this.#refuse(name);
    this.#library.keepAlive(name, time);
  }

  async pull(name: string, request: PullRequest): Promise<LibraryModel> {
    this.#expectAllModels();
    return this.#narrow(await this.#library.pull(name, request));
  }

  beginPull(name: string): void {
    this.#expectAllModels();
    this.#library.beginPull(name);
  }

  endPull(name: string): boolean {
    return this.#permitsAll && this.#library.endPull(name);
  }

  get pulls(): readonly OngoingPull[] {
    return this.#permitsAll ? this.#library.pulls : [];
  }

  get canPull(): boolean {
    return this.#permitsAll && this.#library.canPull;
  }

  searchHub(query: HubQuery, signal: AbortSignal): Promise<HubSearch> {
    return this.#library.searchHub(query, signal);
  }

  async remove(name: string): Promise<void> {
    if (this.#permitsAll) return this.#library.remove(name);
    const { alias } = await this.findEntry(name);
    return this.#library.remove(alias);
  }

  async copy(name: string, to: string): Promise<LibraryModel> {
    const { alias } = await this.findEntry(name);
    this.#expectPermittedName(to);
    return this.#narrow(await this.#library.copy(alias, to));
  }

  async make(name: string, recipe: ModelRecipe): Promise<LibraryModel> {
    const { alias } = await this.findEntry(recipe.from);
    this.#expectPermittedName(name);
    return this.#narrow(await this.#library.make(name, { ...recipe, from: alias }));
  }

  follow(listener: (event: LibraryEvent) => void): () => void {
    return this.#library.follow((event) => {
      if (this.#permitsEvent(event)) listener(event);
    });
  }

  get #library(): ModelLibrary {
    return this.#options.library;
  }

  get #rights(): ModelRights {
    return this.#options.rights;
  }

  get #permitsAll(): boolean {
    return this.#rights.models === undefined;
  }

  #permitsEvent(event: LibraryEvent): boolean {
    switch (event.type) {
      case "state":
      case "removed": {
        const known = this.#options.directory.models.some(({ alias }) => alias === event.model);
        return known || isPermitted(this.#rights.models, event.model);
      }
      case "pulling":
      case "pulled":
      case "pull-failed":
        return this.#permitsAll;
      case "listed-anew":
        return true;
    }
  }

  #narrow(model: LibraryModel): LibraryModel {
    const { adapters, loaded } = model;
    return {
      ...model,
      adapters: adapters.filter(({ name }) => isPermitted(this.#rights.adapters, name)),
      loaded: loaded && limitModel(loaded, this.#rights),
    };
  }

  #refuse(name: string): GgufdError {
    return createUnknownModelError(name, this.#options.directory.models);
  }

  /** @throws {GgufdError} `permission_denied` */
  #expectAllModels(): void {
    if (this.#permitsAll) return;
    const message = "The API key is limited to a list of models and cannot download others.";
    throw new GgufdError("permission_denied", message);
  }

  /** @throws {GgufdError} `permission_denied`: the key could not use a model of this name */
  #expectPermittedName(name: string): void {
    if (isPermitted(this.#rights.models, name)) return;
    const message = `The API key is limited to a list of models, which does not contain ${shortenName(name)}.`;
    throw new GgufdError("permission_denied", message, { param: "model" });
  }
}
