import assert from "node:assert/strict";
import { limitModel } from "../../core/limited-model.js";
import type {
  ModelActivity,
  ModelDirectory,
  ModelKind,
  ModelOf,
  ModelUser,
  NamedState,
  Readiness,
  ServedModel,
} from "../../core/model-directory.js";
import { isPermitted, type ModelRights } from "../../core/model-rights.js";
import { servedAs } from "./served-as.js";

/**
 * The models and adapters that a key may use. Others do not exist for the key: they are in no list
 * and no message, and requests for them get the answer of an unknown name.
 */
export class PermittedDirectory implements ModelDirectory {
  readonly #directory: ModelDirectory;
  readonly #rights: ModelRights;

  /** @param directory of the models that the key may use, with all of their adapters */
  constructor(directory: ModelDirectory, rights: ModelRights) {
    this.#directory = directory;
    this.#rights = rights;
  }

  get readiness(): Readiness {
    return this.#directory.readiness;
  }

  get models(): readonly NamedState[] {
    return this.#directory.models.map((model) => narrowState(model, this.#rights));
  }

  list(): readonly ModelActivity[] {
    return this.#directory.list().map((model) => this.#narrow(model));
  }

  findEntry(name: string | undefined): ModelActivity {
    return this.#narrow(this.#directory.findEntry(name));
  }

  findDefault(kind: ModelKind): NamedState | undefined {
    const model = this.#directory.findDefault(kind);
    return model && narrowState(model, this.#rights);
  }

  async resolve<Kind extends ModelKind>(
    kind: Kind,
    name: string | undefined,
    user: ModelUser,
  ): Promise<ModelOf<Kind>> {
    const model = limitModel(await this.#directory.resolve(kind, name, user), this.#rights);
    const limited = servedAs(model, kind);
    assert(limited !== undefined, `a limited model of the kind ${kind} has another kind`);
    return limited;
  }

  async find(name: string | undefined, user: ModelUser): Promise<ServedModel> {
    return limitModel(await this.#directory.find(name, user), this.#rights);
  }

  #narrow(model: ModelActivity): ModelActivity {
    const { loaded, crashes } = model;
    return {
      ...narrowState(model, this.#rights),
      crashes,
      loaded: loaded && limitModel(loaded, this.#rights),
    };
  }
}

/** Returns the state of a model with the adapters that the key may use. */
function narrowState(model: NamedState, rights: ModelRights): NamedState {
  const { alias, aliases, createdAt, state } = model;
  const adapters = model.adapters.filter(({ name }) => isPermitted(rights.adapters, name));
  return { alias, aliases, createdAt, state, adapters };
}
