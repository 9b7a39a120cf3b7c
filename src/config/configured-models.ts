import { fileURLToPath } from "node:url";
import type { AdapterSpec } from "../core/adapters.js";
import { hasHiddenCharacters } from "../core/hidden-characters.js";
import { StartupError } from "../core/startup-error.js";
import { preview } from "../validation/preview.js";
import type { LoadedConfig } from "./load-config.js";
import { nameOf, parseModelReference } from "./model-reference.js";
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
 * Lists the configured models, the main one first: that of `--model`, or the first preset that may
 * generate text. Without any model, the server is a to-do service only.
 * @throws {StartupError} two models have the same name, or more are loaded at the start than may be
 *   loaded
 */
export function buildModelSpecs(config: Config): readonly ModelSpec[] {
  const presets = config.presets.map(buildPresetSpec);
  const main = hasMainModel(config) ? buildMainModelSpec(config) : presets.find(isGenerating);
  const specs = [
    ...(main === undefined ? [] : [main]),
    ...buildAdditionalSpecs(config),
    ...presets.filter((spec) => spec !== main),
  ];
  rejectUnusableNames(specs);
  rejectExcessModels(specs, config);
  return specs;
}

function rejectExcessModels(specs: readonly ModelSpec[], { modelsMax }: Config): void {
  const atStart = specs.filter(({ loadsAtStart }) => loadsAtStart).length;
  if (modelsMax === 0 || atStart <= modelsMax) return;
  throw new StartupError(
    `--models-max: expected at least ${atStart}, the models that are loaded at the start (--load-on-startup), got ${modelsMax}`,
  );
}

/** Whether there is a main model; presets replace the shipped model. */
function hasMainModel({ noModel, model, presets }: Config): boolean {
  return !noModel && (model !== undefined || presets.length === 0);
}

function isGenerating(spec: ModelSpec): spec is GenerationModelSpec {
  return spec.kind === "generation";
}

/** Builds the model of `--model`; defaults to the model that ggufd ships. */
export function buildMainModelSpec(config: Config): GenerationModelSpec {
  const shipped = fileURLToPath(new URL(`../../${SHIPPED_MODEL}`, import.meta.url));
  const reference = parseModelReference(config.model ?? shipped);
  return buildGenerationSpec(config, {
    ...parseNames(config.alias, reference),
    file: { role: "model", ...reference },
    loadsAtStart: config.loadOnStartup ?? true,
  });
}

/**
 * Names a model: by a list of names separated by commas, of which the first is its name and the
 * others are aliases, or else after its file.
 */
function parseNames(
  listed: string | undefined,
  reference: Parameters<typeof nameOf>[0],
): Pick<Identity, "alias" | "aliases"> {
  const names = listed?.split(",").map((name) => name.trim()) ?? [];
  const [alias, ...aliases] = new Set(names.filter((name) => name !== ""));
  return { alias: alias ?? nameOf(reference), ...(aliases.length > 0 && { aliases }) };
}

/** Builds the models of `--embedding-model` and `--reranking-model`. */
function buildAdditionalSpecs(config: Config): readonly ModelSpec[] {
  const { embeddingModel, embeddingAlias, rerankingModel, rerankingAlias } = config;
  const buildIdentity = <Role extends string>(
    role: Role,
    text: string,
    alias: string | undefined,
  ) => {
    const reference = parseModelReference(text);
    const file = { role, ...reference };
    const loadsAtStart = config.loadOnStartup ?? true;
    return { ...parseNames(alias, reference), file, loadsAtStart };
  };
  return [
    ...(embeddingModel === undefined
      ? []
      : [
          buildSpec<EmbeddingModelSpec>(
            "embedding",
            config,
            buildIdentity("embedding-model", embeddingModel, embeddingAlias),
          ),
        ]),
    ...(rerankingModel === undefined
      ? []
      : [
          buildSpec<RerankingModelSpec>(
            "reranking",
            config,
            buildIdentity("reranking-model", rerankingModel, rerankingAlias),
          ),
        ]),
  ];
}

/** Builds the model of a preset; a preset without `model` refers to it by its own name. */
function buildPresetSpec({ name, kind, values }: PresetModel): ModelSpec {
  const identity: Identity = {
    alias: name,
    file: { role: "model", ...parseModelReference(values.model ?? name) },
    loadsAtStart: values.loadOnStartup ?? false,
  };
  switch (kind) {
    case "generation":
      return buildGenerationSpec(values, identity);
    case "embedding":
    case "reranking":
      return buildSpec(kind, values, identity);
  }
}

/** Builds a generation model from its settings. */
export function buildGenerationSpec(values: ModelValues, identity: Identity): GenerationModelSpec {
  const { draft } = values;
  return buildSpec<GenerationModelSpec>("generation", values, {
    ...identity,
    draft: draft === "auto" || draft === "none" ? draft : { role: "draft", path: draft },
    ifPooling: fieldsFrom(values, poolingNames) as GenerationModelSpec["ifPooling"],
  });
}

type ComputedField = keyof Identity | "draft" | "ifPooling";

/** Builds a model with the fields of its kind. */
function buildSpec<Spec extends ModelSpec>(
  kind: Spec["kind"],
  values: ModelValues,
  computed: Pick<Spec, Extract<keyof Spec, ComputedField>>,
): Spec {
  return { kind, ...fieldsFrom(values, namesOf(kind)), ...computed } as unknown as Spec;
}

/**
 * @throws {StartupError} two models have the same name, an adapter has the name of a model or of
 *   another adapter, or a name has hidden characters
 */
export function rejectUnusableNames(specs: readonly ModelSpec[]): void {
  const names = new Set<string>();
  const settingLabel = "--alias, --embedding-alias, --reranking-alias, --models-preset";
  for (const name of specs.flatMap(({ alias, aliases = [] }) => [alias, ...aliases])) {
    rejectHiddenCharacters(settingLabel, name);
    if (names.has(name)) {
      throw new StartupError(
        `two models are named ${name}: expected different names (${settingLabel})`,
      );
    }
    names.add(name);
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

/** Field of a model, with the setting that fills it. */
export interface ModelFact {
  /** Path of the field, including its group: `slots`, `placement.mainGpu`. */
  readonly name: string;
  readonly value: unknown;
  readonly setting: ModelSettingName;
}

/** Returns all fields of a model except its kind, in the order of the settings. */
export function buildModelFacts(spec: ModelSpec): readonly ModelFact[] {
  const facts = namesOf(spec.kind).map((name) => readFact(spec, fieldOf(name), name));
  if (spec.kind !== "generation") return facts;
  const ifPooling = poolingNames.map((name) => readFact(spec, `ifPooling.${fieldOf(name)}`, name));
  return [...facts, ...ifPooling];
}

function readFact(spec: ModelSpec, name: string, setting: ModelSettingName): ModelFact {
  const value = name.split(".").reduce<unknown>((group, key) => Object(group)[key], spec);
  return { name, value, setting };
}

/** Configured model, with the origins of its fields. */
export interface ConfiguredModel {
  readonly spec: ModelSpec;
  readonly facts: readonly (ModelFact & { readonly origin: Origin })[];
}

/** Returns the models of {@link buildModelSpecs} with the origins of their fields. */
export function buildConfiguredModels({
  config,
  origins,
}: LoadedConfig): readonly ConfiguredModel[] {
  return buildModelSpecs(config).map((spec) => {
    const preset = config.presets.find(({ name }) => name === spec.alias);
    return {
      spec,
      facts: buildModelFacts(spec).map((fact) => ({
        ...fact,
        origin: preset === undefined ? origins[fact.setting] : findPresetOrigin(preset, fact),
      })),
    };
  });
}

/**
 * Returns the origin of a preset's field. A preset's name sets its alias, and its file too if it
 * has no `model`.
 */
function findPresetOrigin({ origins, values }: PresetModel, { name, setting }: ModelFact): Origin {
  const isFile = name === "file" && values.model !== undefined;
  if (isFile) return origins.model;
  return name === "file" || name === "alias" ? origins.alias : origins[setting];
}
