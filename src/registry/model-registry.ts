import assert from "node:assert/strict";
import { GgufdError, refusalOf, shortenedName, shuttingDown } from "../core/errors.js";
import type {
  ModelDirectory,
  ModelKind,
  ModelOf,
  ModelReadiness,
  Readiness,
  ServedModel,
} from "../core/model-directory.js";
import { sumOf } from "../core/sum-of.js";
import type { RegisteredModel } from "./registered-model.js";

export interface ModelRegistryOptions {
  /** The first of a kind answers requests without a name. Names are distinct. */
  readonly models: readonly RegisteredModel[];
  /** `served`: requests for unknown names are answered by the first model of the kind. */
  readonly otherNames: "rejected" | "served";
}

/** What models of a kind do. */
const ABILITIES: Record<ModelKind, string> = {
  generation: "generates text",
  embedding: "makes embeddings",
  reranking: "ranks documents",
};

/** The settings that add a model of a kind. */
const SETTINGS: Record<ModelKind, string> = {
  generation: "--model",
  embedding: "--embedding-model",
  reranking: "--reranking-model",
};

/** The served models with their readiness, from loading to draining; without any, a to-do service. */
export class ModelRegistry implements ModelDirectory {
  readonly #options: ModelRegistryOptions;
  #isDraining = false;

  constructor(options: ModelRegistryOptions) {
    const aliases = new Set(options.models.map(({ alias }) => alias));
    assert(aliases.size === options.models.length, "expected models with distinct names");
    this.#options = options;
  }

  get readiness(): Readiness {
    if (this.#isDraining) return { state: "draining" };
    return overallReadiness(this.#models.map(({ readiness }) => readiness));
  }

  get models(): readonly ModelReadiness[] {
    return this.#models;
  }

  /** Starts draining: new requests are rejected. */
  drain(): void {
    this.#isDraining = true;
  }

  list(): readonly ServedModel[] {
    this.#rejectWhileDraining();
    const ready = this.#models.filter(({ readiness }) => readiness.state === "ready");
    if (ready.length === 0) this.#models.at(0)?.take();
    return ready.map((model) => model.take());
  }

  async resolve<Kind extends ModelKind>(
    kind: Kind,
    name: string | undefined,
  ): Promise<ModelOf<Kind>> {
    const named = this.#named(name);
    const ofKind = this.#models.filter((model) => (model.kind ?? kind) === kind);
    const registered = named ?? ofKind.find((model) => model.kind === kind) ?? ofKind.at(0);
    if (registered === undefined || (registered.kind ?? kind) !== kind) {
      throw this.#otherKind(kind, registered);
    }
    const model = registered.take();
    if (!isOfKind(model, kind)) throw this.#otherKind(kind, registered);
    return model;
  }

  async find(name: string | undefined): Promise<ServedModel> {
    const registered = this.#named(name) ?? this.#models.at(0);
    if (registered === undefined) throw noModels();
    return registered.take();
  }

  get #models(): readonly RegisteredModel[] {
    return this.#options.models;
  }

  /** `undefined`: a default is to be taken. */
  #named(name: string | undefined): RegisteredModel | undefined {
    this.#rejectWhileDraining();
    if (this.#models.length === 0) throw noModels();
    if (name === undefined) return undefined;
    const named = this.#models.find(({ alias }) => alias === name);
    if (named !== undefined || this.#options.otherNames === "served") return named;
    throw new GgufdError(
      "model_not_found",
      `The model \`${shortenedName(name)}\` does not exist; this server serves ${namesOf(this.#models)}.`,
      { param: "model" },
    );
  }

  /** @param asked the model of another kind that the request names; `undefined`: there is none of the kind */
  #otherKind(kind: ModelKind, asked: RegisteredModel | undefined): GgufdError {
    const suitable = this.#models.filter((model) => model.kind === kind);
    const advice =
      suitable.length === 0
        ? `this server has no model that ${ABILITIES[kind]} (${SETTINGS[kind]})`
        : `here that takes ${namesOf(suitable)}`;
    const model = asked ?? this.#models.at(0);
    const does = model?.kind === undefined ? "" : `, which ${ABILITIES[model.kind]}`;
    const reason = `expected a model that ${ABILITIES[kind]}, got \`${model?.alias}\`${does}; ${advice}`;
    return refusalOf("invalid_request", [{ field: "model", reason }]);
  }

  #rejectWhileDraining(): void {
    if (this.#isDraining) throw shuttingDown();
  }
}

/** The readiness of a server by that of its models: ready is one whose models all are. */
function overallReadiness(models: readonly Readiness[]): Readiness {
  if (models.some(({ state }) => state === "loading")) {
    const progress = sumOf(models, (one) => (one.state === "loading" ? one.progress : 1));
    return { state: "loading", progress: progress / models.length };
  }
  return models.find(({ state }) => state !== "ready") ?? { state: "ready" };
}

function isOfKind<Kind extends ModelKind>(model: ServedModel, kind: Kind): model is ModelOf<Kind> {
  return model.kind === kind;
}

function namesOf(models: readonly ModelReadiness[]): string {
  return models.map(({ alias }) => `\`${alias}\``).join(", ");
}

function noModels(): GgufdError {
  return new GgufdError(
    "model_unavailable",
    "This server runs without a model (it was started with --no-model).",
  );
}
