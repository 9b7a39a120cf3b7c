import { extname } from "node:path";
import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";
import { readRegularFile } from "../files/regular-files.js";
import { type Layer, lookUp, validate } from "./layers.js";
import type { Preset } from "./preset.js";
import { readIniPresets } from "./presets-ini.js";
import { readYamlPresets } from "./presets-yaml.js";
import {
  type ModelOrigins,
  type ModelSettingName,
  type ModelValues,
  modelSettingNames,
  type Origin,
  type PresetModel,
} from "./settings.js";

/** Settings from other sources than the presets file. */
export interface SurroundingLayers {
  /** Layer with precedence over the file: flags. */
  readonly flagLayer: Layer;
  /** Layers below the file: environment and configuration file. */
  readonly lowerLayers: readonly Layer[];
}

/**
 * Maximum size of a presets file, enough for a thousand models; larger files take seconds to parse.
 */
const MAX_BYTES = 256 * 1024;

/** Settings of a single model; models of a presets file take them from the file only. */
const SINGLE_MODEL_SETTINGS: ReadonlySet<ModelSettingName> = new Set([
  ...(["model", "alias", "embeddingModel", "embeddingAlias"] as const),
  ...(["rerankingModel", "rerankingAlias", "mmproj"] as const),
]);

/**
 * Reads the models of a presets file, in its order. Precedence, as in llama-server: flags, the
 * model's section, the section for all models, environment, configuration file, defaults.
 * @throws {StartupError} with file, model and key, what was expected and what was received
 */
export function readPresets(path: string, surroundings: SurroundingLayers): readonly PresetModel[] {
  const format = selectPresetFormat(path);
  const text = readText(path);
  const presets =
    format === "ini"
      ? readIniPresets(path, text, surroundings.flagLayer)
      : readYamlPresets(path, text);
  return presets.map((preset) => toModel(preset, surroundings));
}

function selectPresetFormat(path: string): "ini" | "yaml" {
  const ending = extname(path).toLowerCase();
  if (ending === ".ini") return "ini";
  if ([".yaml", ".yml", ".json"].includes(ending)) return "yaml";
  throw new StartupError(
    `--models-preset ${path}: expected a file that ends in .yaml, .yml, .json or .ini, got ${ending === "" ? "no ending" : ending}`,
  );
}

function readText(path: string): string {
  try {
    return readRegularFile(path, MAX_BYTES).toString("utf8");
  } catch (error) {
    throw new StartupError(
      `--models-preset ${path}: cannot be read: ${formatReason(error)}`,
      error,
    );
  }
}

function toModel(preset: Preset, { flagLayer, lowerLayers }: SurroundingLayers): PresetModel {
  const { name, kind, layers, origin, notices } = preset;
  const values: Partial<Record<ModelSettingName, unknown>> = {};
  const origins: Partial<Record<ModelSettingName, Origin>> = {};
  for (const setting of modelSettingNames) {
    const searchedLayers = SINGLE_MODEL_SETTINGS.has(setting)
      ? layers
      : [flagLayer, ...layers, ...lowerLayers];
    const sourced = lookUp(setting, searchedLayers);
    values[setting] = validate(setting, sourced);
    origins[setting] = sourced?.origin ?? "default";
  }
  return {
    name,
    kind,
    values: Object.freeze(values) as ModelValues,
    origins: Object.freeze({ ...origins, alias: origin }) as ModelOrigins,
    notices,
  };
}
