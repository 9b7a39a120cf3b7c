import { readFileSync } from "node:fs";
import { reasonOf } from "../core/reason-of.js";
import { StartupError } from "../core/startup-error.js";
import { describeIssues } from "../validation/describe-issues.js";
import {
  type Config,
  environmentVariableOf,
  flagOf,
  type SettingName,
  settingNames,
  settings,
  type TextForm,
} from "./settings.js";

/** Where a value comes from, in words: `--port`, `GGUFD_PORT`, `ggufd.json`, `default`. */
export type Origin = string;

export interface LoadedConfig {
  readonly config: Config;
  readonly origins: Readonly<Record<SettingName, Origin>>;
}

export interface ConfigSources {
  /** Flags as they were given: text, true for a switch, a list for a flag given several times. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: NodeJS.ProcessEnv;
}

interface Given {
  readonly value: unknown;
  readonly origin: Origin;
}

/**
 * The effective configuration: flags win over environment over file over defaults.
 * @throws {StartupError} naming the flag, variable or key, what was expected and what came.
 */
export function loadConfig({ flags, environment }: ConfigSources): LoadedConfig {
  const path = flags.config ?? (environment[environmentVariableOf("config")] || undefined);
  const file = typeof path === "string" ? readConfigFile(path) : {};
  const values: Record<string, unknown> = {};
  const found: Record<string, Origin> = {};
  for (const name of settingNames) {
    const given = lookUp(name, { flags, environment, file, path: String(path) });
    values[name] = check(name, given);
    found[name] = given?.origin ?? "default";
  }
  const config = Object.freeze(values) as Config;
  const origins = Object.freeze(found) as LoadedConfig["origins"];
  refuseContradiction(config, origins);
  return { config, origins };
}

/** A draft model without speculation would take memory and do nothing. */
function refuseContradiction(config: Config, origins: LoadedConfig["origins"]): void {
  if (config.draftModel === undefined || config.speculation !== "off") return;
  const where = settingAt("draftModel", origins.draftModel);
  throw new StartupError(`${where}: of no use with speculation off (${origins.speculation})`);
}

function lookUp(
  name: SettingName,
  {
    flags,
    environment,
    file,
    path,
  }: ConfigSources & { readonly file: Readonly<Record<string, unknown>>; readonly path: string },
): Given | undefined {
  const { form } = settings[name];
  const variable = environmentVariableOf(name);
  const text = environment[variable];
  if (flags[name] !== undefined) {
    return { value: fromText(form, flags[name]), origin: flagOf(name) };
  }
  if (text !== undefined && text !== "") return { value: fromText(form, text), origin: variable };
  if (file[name] !== undefined) return { value: file[name], origin: path };
  return undefined;
}

function check(name: SettingName, given: Given | undefined): unknown {
  const { schema } = settings[name];
  const result = schema.safeParse(given?.value);
  if (result.success) return result.data;
  const [detail] = describeIssues(result.error, given?.value);
  const key = settingAt(name, given?.origin ?? flagOf(name));
  const reason = "secret" in settings[name] ? "not a valid key" : detail?.reason;
  throw new StartupError(`${key}: ${reason}`);
}

/** What the person who configures has to change: a flag, a variable, or a file's key. */
function settingAt(name: SettingName, origin: Origin): string {
  const isName = origin.startsWith("--") || origin.startsWith("GGUFD_");
  return isName ? origin : `${origin}: ${name}`;
}

/** A text as the value it stands for; what does not fit is left for the schema to refuse. */
function fromText(form: TextForm, given: unknown): unknown {
  if (form === "list") return typeof given === "string" ? given.split(",") : given;
  if (typeof given !== "string") return given;
  if (form === "integer" && /^-?\d+$/.test(given)) return Number(given);
  if (form === "switch" && /^(true|1|yes|on)$/i.test(given)) return true;
  if (form === "switch" && /^(false|0|no|off)$/i.test(given)) return false;
  return given;
}

function readConfigFile(path: string): Readonly<Record<string, unknown>> {
  const file = parseConfigFile(path);
  const unknown = Object.keys(file).find((key) => !Object.hasOwn(settings, key));
  if (unknown !== undefined) {
    throw new StartupError(
      `${path}: ${unknown}: unknown key, expected one of ${settingNames.join(", ")}`,
    );
  }
  return file;
}

function parseConfigFile(path: string): Readonly<Record<string, unknown>> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new StartupError(`--config ${path}: cannot be read: ${reasonOf(error)}`, error);
  }
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new StartupError(`--config ${path}: not JSON: ${withoutExcerpt(reasonOf(error))}`, error);
  }
  if (typeof file !== "object" || file === null || Array.isArray(file)) {
    throw new StartupError(`--config ${path}: expected a JSON object of settings`);
  }
  return file as Record<string, unknown>;
}

/** The parser repeats a stretch of the text, which may hold a key. */
function withoutExcerpt(reason: string): string {
  return reason.replace(/, .*is not valid JSON$/s, "");
}
