import { readFileSync } from "node:fs";
import { excessNesting } from "../core/json-size.js";
import { reasonOf } from "../core/reason-of.js";
import { StartupError } from "../core/startup-error.js";
import { describeIssues } from "../validation/describe-issues.js";
import {
  type Config,
  environmentVariableOf,
  flagOf,
  olderNames,
  type SettingName,
  settingNames,
  settings,
  type TextForm,
} from "./settings.js";

/** Source of a value: `--port`, `GGUFD_PORT`, `ggufd.json`, `default`. */
export type Origin = string;

export interface LoadedConfig {
  readonly config: Config;
  readonly origins: Readonly<Record<SettingName, Origin>>;
}

export interface ConfigSources {
  /** Raw flag values: text, true for a switch, a list for a repeated flag. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: NodeJS.ProcessEnv;
}

interface SourcedValue {
  readonly value: unknown;
  readonly origin: Origin;
}

/**
 * Loads the effective configuration. Precedence: flags, environment, file, defaults.
 * @throws {StartupError} with the flag, variable or key, what was expected and what was received
 */
export function loadConfig({ flags, environment }: ConfigSources): LoadedConfig {
  const path = flags.config ?? (environment[environmentVariableOf("config")] || undefined);
  const file = typeof path === "string" ? readConfigFile(path) : {};
  const values: Record<string, unknown> = {};
  const originByName: Record<string, Origin> = {};
  for (const name of settingNames) {
    const sourced = lookUpAnyName(name, { flags, environment, file, path: String(path) });
    values[name] = validate(name, sourced);
    originByName[name] = sourced?.origin ?? "default";
  }
  const config = Object.freeze(values) as Config;
  const origins = Object.freeze(originByName) as LoadedConfig["origins"];
  rejectConflict(config, origins);
  return { config, origins };
}

/** Rejects settings that would have no effect. */
function rejectConflict(config: Config, origins: LoadedConfig["origins"]): void {
  const hasDraft = config.draft !== "auto" && config.draft !== "none";
  if (hasDraft && config.speculation === "off") {
    const key = settingAt("draft", origins.draft);
    throw new StartupError(`${key}: requires speculation, which is off (${origins.speculation})`);
  }
  for (const [alias, model] of ALIASES_OF_MODELS) {
    if (config[alias] === undefined || config[model] !== undefined) continue;
    throw new StartupError(`${settingAt(alias, origins[alias])}: requires ${flagOf(model)}`);
  }
}

const ALIASES_OF_MODELS = [
  ["embeddingAlias", "embeddingModel"],
  ["rerankingAlias", "rerankingModel"],
] as const;

interface LookUpSources extends ConfigSources {
  readonly file: Readonly<Record<string, unknown>>;
  readonly path: string;
}

/** @throws {StartupError} a setting is given by its older name as well */
function lookUpAnyName(name: SettingName, sources: LookUpSources): SourcedValue | undefined {
  const own = lookUp(name, name, sources);
  for (const [olderName, newer] of Object.entries(olderNames)) {
    if (newer !== name) continue;
    const older = lookUp(olderName, name, sources);
    if (older === undefined) continue;
    if (own === undefined) return older;
    throw new StartupError(
      `${settingAt(olderName, older.origin)}: the older name of ${flagOf(name)}, which is given too (${own.origin})`,
    );
  }
  return own;
}

/** @param key the setting's name, or an older one */
function lookUp(
  key: string,
  name: SettingName,
  { flags, environment, file, path }: LookUpSources,
): SourcedValue | undefined {
  const { form } = settings[name];
  const variable = environmentVariableOf(key);
  const text = environment[variable];
  if (flags[key] !== undefined) {
    return { value: fromText(form, flags[key]), origin: flagOf(key) };
  }
  if (text !== undefined && text !== "") return { value: fromText(form, text), origin: variable };
  if (file[key] !== undefined) return { value: file[key], origin: path };
  return undefined;
}

function validate(name: SettingName, sourced: SourcedValue | undefined): unknown {
  const { schema } = settings[name];
  const result = schema.safeParse(sourced?.value);
  if (result.success) return result.data;
  const [detail] = describeIssues(result.error, sourced?.value);
  const key = settingAt(name, sourced?.origin ?? flagOf(name));
  const reason = "secret" in settings[name] ? "not a valid key" : detail?.reason;
  throw new StartupError(`${key}: ${reason}`);
}

/** The place to fix a setting: a flag, a variable, or a key of the file. */
function settingAt(name: string, origin: Origin): string {
  const isFlagOrVariable = origin.startsWith("--") || origin.startsWith("GGUFD_");
  return isFlagOrVariable ? origin : `${origin}: ${name}`;
}

/** Converts text to the setting's type; text that does not fit is left to the schema to reject. */
function fromText(form: TextForm, raw: unknown): unknown {
  if (form === "list") return typeof raw === "string" ? raw.split(",") : raw;
  if (typeof raw !== "string") return raw;
  if (form === "integer" && /^-?\d+$/.test(raw)) return Number(raw);
  if (form === "switch" && /^(true|1|yes|on)$/i.test(raw)) return true;
  if (form === "switch" && /^(false|0|no|off)$/i.test(raw)) return false;
  return raw;
}

function readConfigFile(path: string): Readonly<Record<string, unknown>> {
  const file = parseConfigFile(path);
  const unknownKey = Object.keys(file).find(
    (key) => !Object.hasOwn(settings, key) && !Object.hasOwn(olderNames, key),
  );
  if (unknownKey !== undefined) {
    throw new StartupError(
      `${path}: ${unknownKey}: unknown key, expected one of ${settingNames.join(", ")}`,
    );
  }
  return file;
}

function parseConfigFile(path: string): Readonly<Record<string, unknown>> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new StartupError(`--config ${path}: cannot be read: ${reasonOf(error)}`, error);
  }
  const nesting = excessNesting(bytes);
  if (nesting !== undefined) throw new StartupError(`--config ${path}: ${nesting}`);
  let file: unknown;
  try {
    file = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw new StartupError(`--config ${path}: not JSON: ${withoutExcerpt(reasonOf(error))}`, error);
  }
  if (typeof file !== "object" || file === null || Array.isArray(file)) {
    throw new StartupError(`--config ${path}: expected a JSON object of settings`);
  }
  return file as Record<string, unknown>;
}

/** Removes the excerpt that the JSON parser quotes: it may contain an API key. */
function withoutExcerpt(reason: string): string {
  return reason.replace(/, .*is not valid JSON$/s, "");
}

const PREFIX = "GGUFD_";
/** What Kubernetes and linked containers tell of a service that is named ggufd. */
const OF_A_SERVICE = /^GGUFD_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP)|ENV_)/;

const known = [...settingNames, ...Object.keys(olderNames), "config"].map(environmentVariableOf);

/** A warning for each variable that looks like a setting, but is not one: `GGUFD_PROT: there is no such setting; …`. */
export function unknownVariables(environment: NodeJS.ProcessEnv): readonly string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name) && !OF_A_SERVICE.test(name))
    .map((name) => `${name}: there is no such setting; the nearest is ${nearest(name)}`);
}

function nearest(name: string): string {
  const byDistance = known.toSorted((a, b) => distance(name, a) - distance(name, b));
  return byDistance[0] ?? "";
}

/** Levenshtein's: characters that are inserted, deleted or replaced. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, otherLetter] of [...other].entries()) {
      next.push(
        Math.min(
          (next[column] ?? 0) + 1,
          (row[column + 1] ?? 0) + 1,
          (row[column] ?? 0) + (letter === otherLetter ? 0 : 1),
        ),
      );
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
