import { StartupError } from "../core/startup-error.js";
import { describeIssues } from "../validation/describe-issues.js";
import type { TextForm } from "./setting.js";
import { flagOf, type Origin, olderNames, type SettingName, settings } from "./settings.js";

/** A value as it is given, and where. */
export interface SourcedValue {
  readonly value: unknown;
  readonly origin: Origin;
}

/** A place where settings are given: flags, the environment, a file, a model of a presets file. */
export interface Layer {
  /** @param key a setting's name, or an older one */
  lookUp(key: string, form: TextForm): SourcedValue | undefined;
}

/** Settings that say the same in two ways: what is given of one of them hides the other in the layers below. */
const ALTERNATIVES: readonly (readonly [SettingName, SettingName])[] = [
  ["chatTemplate", "chatTemplateFile"],
  ["ropeScale", "ropeFreqScale"],
];

/**
 * The value of a setting: what the first layer says that has it.
 * @throws {StartupError} its older name, or in the same layer its alternative, is given as well
 */
export function lookUp(name: SettingName, layers: readonly Layer[]): SourcedValue | undefined {
  const given = findUnderAnyName(name, layers);
  const other = ALTERNATIVES.find((names) => names.includes(name))?.find((one) => one !== name);
  const rival = other && findUnderAnyName(other, layers);
  if (given === undefined || rival === undefined || given.depth < rival.depth) return given;
  if (given.depth > rival.depth) return undefined;
  throw new StartupError(
    `${settingAt(name, given.origin)}: expected either it or ${settingAt(other ?? name, rival.origin)}, got both`,
  );
}

/** A value with the number of the layers above it. */
interface FoundValue extends SourcedValue {
  readonly depth: number;
}

/** @throws {StartupError} a setting is given by its older name as well */
function findUnderAnyName(name: SettingName, layers: readonly Layer[]): FoundValue | undefined {
  const own = find(name, name, layers);
  for (const [olderName, newer] of Object.entries(olderNames)) {
    if (newer !== name) continue;
    const older = find(olderName, name, layers);
    if (older === undefined) continue;
    if (own === undefined) return older;
    throw new StartupError(
      `${settingAt(olderName, older.origin)}: the older name of ${flagOf(name)}, which is given too (${own.origin})`,
    );
  }
  return own;
}

/** @param key the setting's name, or an older one */
function find(key: string, name: SettingName, layers: readonly Layer[]): FoundValue | undefined {
  for (const [depth, layer] of layers.entries()) {
    const found = layer.lookUp(key, settings[name].form);
    if (found !== undefined) return { ...found, depth };
  }
  return undefined;
}

/**
 * A setting's value of the type that it has, or its default.
 * @throws {StartupError} with the place to fix, what was expected and what came
 */
export function validate(name: SettingName, sourced: SourcedValue | undefined): unknown {
  const { schema } = settings[name];
  const result = schema.safeParse(sourced?.value);
  if (result.success) return result.data;
  const [detail] = describeIssues(result.error, sourced?.value);
  const key = settingAt(name, sourced?.origin ?? flagOf(name));
  const reason = "secret" in settings[name] ? "not a valid key" : detail?.reason;
  throw new StartupError(`${key}: ${reason}`);
}

/** The place to fix a setting: a flag, a variable, or a key of a file. */
export function settingAt(name: string, origin: Origin): string {
  const isFlagOrVariable = origin.startsWith("--") || origin.startsWith("GGUFD_");
  return isFlagOrVariable ? origin : `${origin}: ${name}`;
}

/** Converts text to a setting's type; text that does not fit is left to the schema to reject. */
export function fromText(form: TextForm, raw: unknown): unknown {
  if (form === "list") return typeof raw === "string" ? raw.split(",") : raw;
  if (typeof raw !== "string") return raw;
  if (form === "integer" && /^-?\d+$/.test(raw)) return Number(raw);
  if (form === "number" && /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(raw)) return Number(raw);
  if (form === "switch" && /^(true|1|yes|on)$/i.test(raw)) return true;
  if (form === "switch" && /^(false|0|no|off)$/i.test(raw)) return false;
  return raw;
}
