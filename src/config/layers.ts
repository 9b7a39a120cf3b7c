import { StartupError } from "../core/startup-error.js";
import { describeIssues } from "../validation/describe-issues.js";
import type { TextForm } from "./setting.js";
import { flagOf, type Origin, olderNames, type SettingName, settings } from "./settings.js";

/** Value and its origin. */
export interface SourcedValue {
  readonly value: unknown;
  readonly origin: Origin;
}

/** Source of settings: flags, the environment, a file, or a model of a presets file. */
export interface Layer {
  /** @param key current or older name of a setting */
  lookUp(key: string, form: TextForm): SourcedValue | undefined;
}

/** Groups of exclusive settings: giving one of them hides the others in the layers below. */
const ALTERNATIVES: readonly (readonly SettingName[])[] = [
  ["chatTemplate", "chatTemplateFile"],
  ["grammar", "grammarFile", "jsonSchema", "jsonSchemaFile"],
  ["ropeScale", "ropeFreqScale"],
];

/**
 * Looks up a setting; the first layer that has it wins.
 * @throws {StartupError} the setting's older name, or an alternative in the same layer, is given as
 *   well
 */
export function lookUp(name: SettingName, layers: readonly Layer[]): SourcedValue | undefined {
  const currentValue = findUnderAnyName(name, layers);
  if (currentValue === undefined) return undefined;
  const others = ALTERNATIVES.find((names) => names.includes(name))?.filter((one) => one !== name);
  for (const other of others ?? []) {
    const alternativeValue = findUnderAnyName(other, layers);
    if (alternativeValue === undefined || currentValue.depth < alternativeValue.depth) continue;
    if (currentValue.depth > alternativeValue.depth) return undefined;
    throw new StartupError(
      `${describeSettingOrigin(name, currentValue.origin)}: expected either it or ${describeSettingOrigin(other, alternativeValue.origin)}, got both`,
    );
  }
  return currentValue;
}

/** Value with the number of layers above it. */
interface FoundValue extends SourcedValue {
  readonly depth: number;
}

/** @throws {StartupError} the setting is given by its older name as well */
function findUnderAnyName(name: SettingName, layers: readonly Layer[]): FoundValue | undefined {
  const valueByName = find(name, name, layers);
  for (const [olderName, newer] of Object.entries(olderNames)) {
    if (newer !== name) continue;
    const valueByOlderName = find(olderName, name, layers);
    if (valueByOlderName === undefined) continue;
    if (valueByName === undefined) return valueByOlderName;
    throw new StartupError(
      `${describeSettingOrigin(olderName, valueByOlderName.origin)}: the older name of ${flagOf(name)}, which is also given (${valueByName.origin})`,
    );
  }
  return valueByName;
}

/** @param key current or older name of the setting */
function find(key: string, name: SettingName, layers: readonly Layer[]): FoundValue | undefined {
  for (const [depth, layer] of layers.entries()) {
    const found = layer.lookUp(key, settings[name].form);
    if (found !== undefined) return { ...found, depth };
  }
  return undefined;
}

/**
 * Validates the value of a setting, or returns its default.
 * @throws {StartupError} with the place to fix, the expected value and the received one
 */
export function validate(name: SettingName, sourced: SourcedValue | undefined): unknown {
  const { schema } = settings[name];
  const result = schema.safeParse(sourced?.value);
  if (result.success) return result.data;
  const [detail] = describeIssues(result.error, sourced?.value);
  const key = describeSettingOrigin(name, sourced?.origin ?? flagOf(name));
  const reason = "secret" in settings[name] ? "not a valid key" : detail?.reason;
  throw new StartupError(`${key}: ${reason}`);
}

/** Returns the place to fix a setting: a flag, a variable, or a key of a file. */
export function describeSettingOrigin(name: string, origin: Origin): string {
  return /^(--|GGUFD_|LLAMA_|MTMD_)/.test(origin) ? origin : `${origin}: ${name}`;
}

/**
 * Converts text to the type of a setting; text that does not fit is left for the schema to reject.
 */
export function fromText(form: TextForm, raw: unknown): unknown {
  if (form === "list") return typeof raw === "string" ? raw.split(",") : raw;
  if (typeof raw !== "string") return raw;
  if (form === "integer" && /^-?\d+$/.test(raw)) return Number(raw);
  if (form === "number" && /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(raw)) return Number(raw);
  if (form === "switch" && /^(true|1|yes|on)$/i.test(raw)) return true;
  if (form === "switch" && /^(false|0|no|off)$/i.test(raw)) return false;
  return raw;
}
