import { formatReason } from "../core/format-reason.js";
import { describeExcessNesting } from "../core/json-size.js";
import { findNearest } from "../core/nearest.js";
import { StartupError } from "../core/startup-error.js";
import { readRegularFile } from "../files/regular-files.js";
import { describeSettingOrigin, fromText, type Layer, lookUp, validate } from "./layers.js";
import { createLlamaServerLayer } from "./llama-server/variables.js";
import { readPresets } from "./presets.js";
import {
  type Config,
  environmentVariableOf,
  flagOf,
  type ModelOrigins,
  type ModelValues,
  type Origin,
  olderNames,
  type PresetModel,
  type SettingName,
  settingNames,
  settings,
} from "./settings.js";
import { rejectSignInConflict } from "./sign-in-conflicts.js";

export interface LoadedConfig {
  readonly config: Config;
  readonly origins: Readonly<Record<SettingName, Origin>>;
}

export interface ConfigSources {
  /** Raw flag values: text, true for a switch, a list for a repeated flag. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Loads the effective configuration. Precedence: flags, environment, llama-server's environment,
 * file, defaults. For models of presets: flags, the model's section, the section for all models,
 * environment, llama-server's environment, file, defaults.
 * @throws {StartupError} with the flag, variable or key, what was expected and what was received
 */
export function loadConfig({ flags, environment }: ConfigSources): LoadedConfig {
  const path = flags.config ?? (environment[environmentVariableOf("config")] || undefined);
  const flagLayer = createLayer(flags, flagOf);
  const ownVariables = createEnvironmentLayer(environment);
  const slotsOf = () => lookUp("parallel", [flagLayer, ownVariables])?.value;
  const lowerLayers = [
    ownVariables,
    createLlamaServerLayer(environment, slotsOf),
    ...(typeof path === "string" ? [createLayer(readConfigFile(path), () => path)] : []),
  ];
  const values: Record<string, unknown> = {};
  const originByName: Record<string, Origin> = {};
  for (const name of settingNames) {
    const sourced = lookUp(name, [flagLayer, ...lowerLayers]);
    values[name] = validate(name, sourced);
    originByName[name] = sourced?.origin ?? "default";
  }
  const { modelsPreset } = values;
  values.presets =
    typeof modelsPreset === "string" ? readPresets(modelsPreset, { flagLayer, lowerLayers }) : [];
  const config = Object.freeze(values) as Config;
  const origins = Object.freeze(originByName) as LoadedConfig["origins"];
  rejectConflict(config, origins);
  return { config, origins };
}

/**
 * Creates a layer of values by setting name. Only flags are converted from text; values of files
 * are already typed.
 */
function createLayer(
  values: Readonly<Record<string, unknown>>,
  originOf: (key: string) => Origin,
): Layer {
  return {
    lookUp(key, form) {
      const value = values[key];
      if (value === undefined) return undefined;
      const origin = originOf(key);
      return { value: origin.startsWith("--") ? fromText(form, value) : value, origin };
    },
  };
}

function createEnvironmentLayer(environment: NodeJS.ProcessEnv): Layer {
  return {
    lookUp(key, form) {
      const origin = environmentVariableOf(key);
      const text = environment[origin];
      return text === undefined || text === ""
        ? undefined
        : { value: fromText(form, text), origin };
    },
  };
}

/** Rejects settings that would have no effect. */
function rejectConflict(config: Config, origins: LoadedConfig["origins"]): void {
  const models = [{ values: config, origins }, ...config.presets];
  for (const model of models) {
    rejectIdleDraft(model.values, model.origins);
    rejectUnsupportedReplicas(model, { config, origins });
  }
  rejectSignInConflict(config, origins);
  for (const [alias, model] of ALIASES_OF_MODELS) {
    if (config[alias] === undefined || config[model] !== undefined) continue;
    throw new StartupError(
      `${describeSettingOrigin(alias, origins[alias])}: requires ${flagOf(model)}`,
    );
  }
  if (config.presets.length > 0 && config.alias !== undefined && config.model === undefined) {
    throw new StartupError(
      `${describeSettingOrigin("alias", origins.alias)}: requires ${flagOf("model")}`,
    );
  }
}

function rejectIdleDraft(
  { draft, speculation }: ModelValues,
  origins: Pick<ModelOrigins, "draft" | "speculation">,
): void {
  if (draft === "auto" || draft === "none" || speculation !== "off") return;
  const key = describeSettingOrigin("draft", origins.draft);
  throw new StartupError(`${key}: requires speculation, which is off (${origins.speculation})`);
}

/** Settings that split a model across GPUs, of which a replica has one. */
const SPLITTING_SETTINGS = ["mainGpu", "splitMode", "tensorSplit"] as const;

/**
 * Rejects replicas without processes, with a strategy for NUMA nodes, which the replicas divide
 * among themselves, and with a split of the model across GPUs.
 * @param server settings of the server, with their origins
 */
function rejectUnsupportedReplicas(
  { values, origins }: Pick<PresetModel, "values" | "origins">,
  server: Pick<LoadedConfig, "config" | "origins">,
): void {
  const { replicas } = values;
  if (replicas === 1) return;
  const key = describeSettingOrigin("replicas", origins.replicas);
  const reject = (name: SettingName, value: unknown, origin: Origin) => {
    throw new StartupError(
      `${key}: expected 1 with ${flagOf(name)} ${value} (${origin}), got ${replicas}`,
    );
  };
  const { engine, numa } = server.config;
  if (engine !== "process") reject("engine", engine, server.origins.engine);
  if (numa !== "off") reject("numa", numa, server.origins.numa);
  const split = SPLITTING_SETTINGS.find((name) => values[name] !== undefined);
  if (split !== undefined) reject(split, values[split], origins[split]);
}

const ALIASES_OF_MODELS = [
  ["embeddingAlias", "embeddingModel"],
  ["rerankingAlias", "rerankingModel"],
] as const;

function readConfigFile(path: string): Readonly<Record<string, unknown>> {
  const file = parseConfigFile(path);
  const unknownKey = Object.keys(file).find(
    (key) => !Object.hasOwn(settings, key) && !Object.hasOwn(olderNames, key),
  );
  if (unknownKey !== undefined) {
    throw new StartupError(
      `${path}: ${unknownKey}: unknown key; the nearest is ${findNearest(unknownKey, settingNames)} (docs/configuration.md lists all)`,
    );
  }
  return file;
}

function parseConfigFile(path: string): Readonly<Record<string, unknown>> {
  let bytes: Buffer;
  try {
    bytes = readRegularFile(path);
  } catch (error) {
    throw new StartupError(`--config ${path}: cannot be read: ${formatReason(error)}`, error);
  }
  const nesting = describeExcessNesting(bytes);
  if (nesting !== undefined) throw new StartupError(`--config ${path}: ${nesting}`);
  let file: unknown;
  try {
    file = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw new StartupError(
      `--config ${path}: not JSON: ${withoutExcerpt(formatReason(error))}`,
      error,
    );
  }
  if (typeof file !== "object" || file === null || Array.isArray(file)) {
    throw new StartupError(`--config ${path}: expected a JSON object of settings`);
  }
  return file as Record<string, unknown>;
}

/** Removes the excerpt quoted by the JSON parser, which may contain an API key. */
function withoutExcerpt(reason: string): string {
  return reason.replace(/, .*is not valid JSON$/s, "");
}

const PREFIX = "GGUFD_";
/** Variables that Kubernetes and linked containers set for a service named ggufd. */
const SERVICE_VARIABLES = /^GGUFD_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP)|ENV_)/;

const knownVariables = [...settingNames, ...Object.keys(olderNames), "config"].map(
  environmentVariableOf,
);

/**
 * Returns a warning for each variable with the prefix of the settings that is not a setting:
 * `GGUFD_PROT: no such setting; …`.
 */
export function describeUnknownVariables(environment: NodeJS.ProcessEnv): readonly string[] {
  return Object.keys(environment)
    .filter(
      (name) =>
        name.startsWith(PREFIX) && !knownVariables.includes(name) && !SERVICE_VARIABLES.test(name),
    )
    .map((name) => `${name}: no such setting; the nearest is ${findNearest(name, knownVariables)}`);
}
