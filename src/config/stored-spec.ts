import type { AdapterSpec } from "../core/adapters.js";
import type { StoredModelsHiddenBy } from "../core/model-library.js";
import { type SamplingDefaults, type SamplingFlag, samplingRows } from "../core/sampling-table.js";
import { buildGenerationSpec } from "./configured-models.js";
import type { GenerationModelSpec, ModelSpec } from "./model-spec.js";
import type { Setting } from "./setting.js";
import { type Config, type ModelSettingName, modelSettingNames, settings } from "./settings.js";

/** Texts that accompany a model's weights, in Ollama's terms. */
export interface SourceTexts {
  readonly system: string | undefined;
  /** Options by Ollama's names. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Returns why stored models are hidden; `undefined` if they are served. */
export function findHidingReason({
  storedModels,
  model,
  presets,
  noModel,
}: Pick<Config, "storedModels" | "model" | "presets" | "noModel">):
  | StoredModelsHiddenBy
  | undefined {
  switch (storedModels) {
    case "serve":
      return undefined;
    case "hide":
      return "setting";
    case "auto":
      if (noModel) return "no-model";
      return model !== undefined || presets.length > 0 ? "configured-models" : undefined;
  }
}

/** Defaults of the settings that apply only to the model that they are given with. */
const singleModelDefaults = Object.fromEntries(
  modelSettingNames.flatMap((name) => {
    const { ofOneModel, schema }: Setting = settings[name];
    return ofOneModel ? [[name, schema.parse(undefined)]] : [];
  }),
);

/**
 * Builds the spec of a stored model that is not configured. All other settings apply to it as well,
 * as the flags of llama-server's router do.
 * @param path path of its first file
 */
export function buildStoredSpec(
  config: Config,
  { alias, path }: { readonly alias: string; readonly path: string },
): GenerationModelSpec {
  return buildGenerationSpec(
    { ...config, ...singleModelDefaults },
    { alias, file: { role: "model", kind: "file", path }, loadsAtStart: false },
  );
}

/** Additional files of a model, as listed by its source. */
export interface SourceFiles {
  readonly adapters: readonly { readonly path: string }[];
  readonly projector: { readonly path: string } | undefined;
}

/**
 * Adds the adapters and projector of a model's source. The adapters always apply, in addition to
 * configured ones; the projector is used unless another one, or none, is configured.
 */
export function withSourceFiles<Spec extends ModelSpec>(
  spec: Spec,
  { adapters, projector }: SourceFiles,
): Spec {
  if (spec.kind !== "generation") return spec;
  const sourceAdapters = adapters.map(
    ({ path }, index): AdapterSpec => ({
      name: `${spec.alias}-adapter-${index + 1}`,
      path,
      scale: 1,
      use: "always",
    }),
  );
  const isFound = spec.media.projector === "auto" && projector !== undefined;
  return {
    ...spec,
    adapters: [...spec.adapters, ...sourceAdapters],
    ...(isFound && { media: { ...spec.media, projector: projector.path } }),
  };
}

/**
 * Fills settings that are not configured from the model's source: its system prompt, and the
 * options that ggufd has as settings. Options outside of a setting's bounds are ignored, as the
 * user did not write them.
 */
export function withSourceTexts<Spec extends ModelSpec>(
  spec: Spec,
  { system, parameters }: SourceTexts,
): Spec {
  if (spec.kind !== "generation") return spec;
  const sampling: SamplingDefaults = spec.sampling;
  const parseOption = <Name extends ModelSettingName>(option: string, setting: Name) => {
    const { data } = settings[setting].schema.safeParse(parameters[option]);
    return data as Config[Name] | undefined;
  };
  const options = samplingRows.flatMap(({ name, ollama }) =>
    ollama === undefined
      ? []
      : [[name, sampling[name] ?? parseOption(ollama, name as SamplingFlag)]],
  );
  return {
    ...spec,
    systemPrompt: spec.systemPrompt ?? system,
    maxTokens: spec.maxTokens ?? parseOption("num_predict", "maxTokens"),
    contextSize: spec.contextSize ?? parseOption("num_ctx", "contextSize"),
    seed: spec.seed ?? parseOption("seed", "seed"),
    sampling: { ...spec.sampling, ...Object.fromEntries(options) },
  };
}
