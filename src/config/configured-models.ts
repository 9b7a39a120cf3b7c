import { fileURLToPath } from "node:url";
import type { AdapterSpec } from "../core/adapters.js";
import { hasHiddenCharacters } from "../core/hidden-characters.js";
import { StartupError } from "../core/startup-error.js";
import { preview } from "../validation/preview.js";
import type { LoadedConfig } from "./load-config.js";
import { nameOf, referenceOf } from "./model-reference.js";
import {
  type EmbeddingModelSpec,
  fieldOf,
  fieldsFrom,
  type GenerationModelSpec,
  type Identity,
  type ModelSpec,
  namesOf,
  poolingNames,
  type RerankingModelSpec,
} from "./model-spec.js";
import {
  type Config,
  type ModelSettingName,
  type ModelValues,
  type Origin,
  type PresetModel,
  SHIPPED_MODEL,
} from "./settings.js";

/**
 * The models that are configured, the main one first: that of `--model`, or the first one of the presets that may
 * generate text. Without any, the server is a to-do service.
 * @throws {StartupError} two of them have one name
 */
export function modelSpecsOf(config: Config): readonly ModelSpec[] {
  const presets = config.presets.map(presetSpecOf);
  const main = hasMainModel(config) ? mainModelSpecOf(config) : presets.find(isGenerating);
  const specs = [
    ...(main === undefined ? [] : [main]),
    ...besidesSpecsOf(config),
    ...presets.filter((spec) => spec !== main),
  ];
  rejectUnusableNames(specs);
  return specs;
}

/** With presets, the shipped model is not among the models. */
function hasMainModel({ noModel, model, presets }: Config): boolean {
  return !noModel && (model !== undefined || presets.length === 0);
}

function isGenerating(spec: ModelSpec): spec is GenerationModelSpec {
  return spec.kind === "generation";
}

/** The model of `--model`, or the one that ggufd ships. */
export function mainModelSpecOf(config: Config): GenerationModelSpec {
  const shipped = fileURLToPath(new URL(`../../${SHIPPED_MODEL}`, import.meta.url));
  const reference = referenceOf(config.model ?? shipped);
  return generationSpecOf(config, {
    alias: config.alias ?? nameOf(reference),
    file: { role: "model", ...reference },
    loadsAtStart: config.loadOnStartup ?? true,
  });
}

/** The models of `--embedding-model` and `--reranking-model`. */
function besidesSpecsOf(config: Config): readonly ModelSpec[] {
  const { embeddingModel, embeddingAlias, rerankingModel, rerankingAlias } = config;
  const identityOf = <Role extends string>(role: Role, text: string, alias: string | undefined) => {
    const reference = referenceOf(text);
    const file = { role, ...reference };
    return { alias: alias ?? nameOf(reference), file, loadsAtStart: config.loadOnStartup ?? true };
  };
  return [
    ...(embeddingModel === undefined
      ? []
      : [
          specOf<EmbeddingModelSpec>(
            "embedding",
            config,
            identityOf("embedding-model", embeddingModel, embeddingAlias),
          ),
        ]),
    ...(rerankingModel === undefined
      ? []
      : [
          specOf<RerankingModelSpec>(
            "reranking",
            config,
            identityOf("reranking-model", rerankingModel, rerankingAlias),
          ),
        ]),
  ];
}

/** A model of a preset, which is found by its name where the preset says no more. */
function presetSpecOf({ name, kind, values }: PresetModel): ModelSpec {
  const identity: Identity = {
    alias: name,
    file: { role: "model", ...referenceOf(values.model ?? name) },
    loadsAtStart: values.loadOnStartup ?? false,
  };
  switch (kind) {
    case "generation":
      return generationSpecOf(values, identity);
    case "embedding":
    case "reranking":
      return specOf(kind, values, identity);
  }
}

/** A model that generates text, by its settings. */
export function generationSpecOf(values: ModelValues, identity: Identity): GenerationModelSpec {
  const { draft } = values;
  return specOf<GenerationModelSpec>("generation", values, {
    ...identity,
    draft: draft === "auto" || draft === "none" ? draft : { role: "draft", path: draft },
    ifPooling: fieldsFrom(values, poolingNames) as GenerationModelSpec["ifPooling"],
  });
}

type ComputedField = keyof Identity | "draft" | "ifPooling";

/** A model with the fields of its kind. */
function specOf<Spec extends ModelSpec>(
  kind: Spec["kind"],
  values: ModelValues,
  computed: Pick<Spec, Extract<keyof Spec, ComputedField>>,
): Spec {
  return { kind, ...fieldsFrom(values, namesOf(kind)), ...computed } as unknown as Spec;
}

/**
 * @throws {StartupError} two models have one name, or an adapter has that of a model or of another adapter; a name has
 *   hidden characters
 */
export function rejectUnusableNames(specs: readonly ModelSpec[]): void {
  const names = new Set<string>();
  const places = "--alias, --embedding-alias, --reranking-alias, --models-preset";
  for (const { alias } of specs) {
    rejectHiddenCharacters(places, alias);
    if (names.has(alias)) {
      throw new StartupError(`two models are named ${alias}: expected different names (${places})`);
    }
    names.add(alias);
  }
  for (const { name, path } of specs.flatMap(adaptersOf)) {
    rejectHiddenCharacters("--lora NAME=PATH", name);
    if (names.has(name)) {
      throw new StartupError(
        `lora ${path}: expected a unique name, got that of a model or another adapter: ${name} (--lora NAME=PATH)`,
      );
    }
    names.add(name);
  }
}

function rejectHiddenCharacters(places: string, name: string): void {
  if (!hasHiddenCharacters(name)) return;
  throw new StartupError(
    `${places}: expected a name without control or format characters, got ${preview(name)}`,
  );
}

function adaptersOf(spec: ModelSpec): readonly AdapterSpec[] {
  return spec.kind === "generation" ? spec.adapters : [];
}

/** A fact of a model, with the setting that it is filled from. */
export interface ModelFact {
  /** With its group: `slots`, `placement.mainGpu`. */
  readonly name: string;
  readonly value: unknown;
  readonly setting: ModelSettingName;
}

/** All facts of a model but its kind, in the order of the settings. */
export function factsOf(spec: ModelSpec): readonly ModelFact[] {
  const facts = namesOf(spec.kind).map((name) => factAt(spec, fieldOf(name), name));
  if (spec.kind !== "generation") return facts;
  const ifPooling = poolingNames.map((name) => factAt(spec, `ifPooling.${fieldOf(name)}`, name));
  return [...facts, ...ifPooling];
}

function factAt(spec: ModelSpec, name: string, setting: ModelSettingName): ModelFact {
  const value = name.split(".").reduce<unknown>((group, key) => Object(group)[key], spec);
  return { name, value, setting };
}

/** A model that is configured, and where its facts come from. */
export interface ConfiguredModel {
  readonly spec: ModelSpec;
  readonly facts: readonly (ModelFact & { readonly origin: Origin })[];
}

/** The models of {@link modelSpecsOf}, with the sources of their facts. */
export function configuredModelsOf({ config, origins }: LoadedConfig): readonly ConfiguredModel[] {
  return modelSpecsOf(config).map((spec) => {
    const preset = config.presets.find(({ name }) => name === spec.alias);
    return {
      spec,
      facts: factsOf(spec).map((fact) => ({
        ...fact,
        origin: preset === undefined ? origins[fact.setting] : presetOrigin(preset, fact),
      })),
    };
  });
}

/** Where a preset says what others say by settings of their own: its name, and its file. */
function presetOrigin({ origins, values }: PresetModel, { name, setting }: ModelFact): Origin {
  const isFile = name === "file" && values.model !== undefined;
  if (isFile) return origins.model;
  return name === "file" || name === "alias" ? origins.alias : origins[setting];
}
