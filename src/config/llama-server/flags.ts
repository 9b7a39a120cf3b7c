/** Translates llama-server's flags to ggufd's, or names the flag to use instead. */
import { StartupError } from "../../core/startup-error.js";
import { environmentVariableOf, flagOf, settingNames } from "../settings.js";
import type { PlainEffect } from "./option.js";
import {
  describeAlternative,
  describeNotice,
  divideContext,
  effectOf,
  findOption,
  joinRepository,
  toOwnValue,
} from "./options.js";

/** Arguments in ggufd's form, with what the user should know about the translation. */
export interface TranslatedArguments {
  readonly args: readonly string[];
  /** One line for each flag without effect, and for other names of a model. */
  readonly notices: readonly string[];
  /** Environment variables that flags stand for. */
  readonly variables: Readonly<Record<string, string>>;
}

/** llama-server flag translated to ggufd's. */
interface TranslatedFlag {
  readonly flag: string;
  readonly value: string | undefined;
  /** Whether the value is the total context of all slots. */
  readonly isTotal?: boolean;
}

/** llama-server flag as given. */
interface GivenFlag {
  readonly name: string;
  readonly value: string | undefined;
  readonly effect: PlainEffect | undefined;
}

const ANY_MODEL = "acceptAnyModel";

/** Commands that serve a model, which may also be omitted. */
const SERVING_COMMAND = /^(-.*|serve|plan|devices|config)$/;

/**
 * Translates arguments with llama-server's flags to ggufd's own. As in llama-server, a given
 * context size is divided by the given number of slots, and the model of a flag answers to any
 * name.
 * @param args without the program; arguments after `--` stay unchanged
 * @throws {StartupError} names a flag without an equivalent, and ggufd's alternative
 */
export function fromLlamaServer(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): TranslatedArguments {
  const end = args.indexOf("--");
  const trailingArguments = end < 0 ? [] : args.slice(end);
  const parts = split(end < 0 ? args : args.slice(0, end));
  const givenFlags = parts.filter((part) => typeof part !== "string");
  const translatedFlags = withoutTotalContext(translate(parts));
  const modelFlag = givenFlags.find(isModelFlag);
  const takesAnyName =
    modelFlag !== undefined &&
    SERVING_COMMAND.test(args[0] ?? "") &&
    givenFlags.some(({ name }) => !ownFlags.has(name)) &&
    !translatedFlags.some(({ flag }) => flag === "--models-preset") &&
    environment[environmentVariableOf(ANY_MODEL)] === undefined;
  return {
    args: [
      ...translatedFlags.flatMap(({ flag, value }) => [flag, ...toList(value)]),
      ...(takesAnyName ? [flagOf(ANY_MODEL)] : []),
      ...trailingArguments,
    ],
    notices: [
      ...givenFlags.flatMap(({ name, effect }) => toList(describeNotice(name, effect))),
      ...(takesAnyName ? [describeAnyName(modelFlag.name)] : []),
    ],
    variables: Object.fromEntries(givenFlags.flatMap(toVariable)),
  };
}

/** Notice that the model of a flag or variable answers to any name. */
export function describeAnyName(origin: string): string {
  return `${origin}: as in llama-server, requests for any model are answered by this one; ${environmentVariableOf(ANY_MODEL)}=false refuses unknown names`;
}

/** Own flags, with whether they take a value. */
const ownFlags: ReadonlySet<string> = new Set(settingNames.map(flagOf));

/** Splits arguments into llama-server's flags and all others. */
function split(args: readonly string[]): readonly (GivenFlag | string)[] {
  const parts: (GivenFlag | string)[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? "";
    const [written = "", inline] = argument.split(/=(.*)/s);
    // llama-server reads --ctx_size as --ctx-size.
    const name = written.startsWith("--") ? written.replaceAll("_", "-") : written;
    const namedOption = findOption(name);
    const next = inline ?? args[index + 1];
    const hasOwnValue = inline !== undefined || (next !== undefined && !next.startsWith("-"));
    if (namedOption === undefined || (hasOwnValue && hasOtherOwnMeaning(name))) {
      parts.push(argument);
      continue;
    }
    const value = namedOption.option.takes === "value" ? next : undefined;
    if (value !== undefined && inline === undefined) index++;
    parts.push({ name, value, effect: effectOf(namedOption, value) });
  }
  return parts;
}

/** Whether a flag is ggufd's with another meaning, such as `--draft`. */
function hasOtherOwnMeaning(name: string): boolean {
  const effect = findOption(name)?.option.effect;
  if (!ownFlags.has(name) || effect === undefined) return false;
  return effect.kind === "refused" || (effect.kind === "choice" && effect.value !== undefined);
}

function translate(parts: readonly (GivenFlag | string)[]): readonly TranslatedFlag[] {
  const files = parts.flatMap((part) =>
    typeof part !== "string" && part.effect?.kind === "repository-file" ? [part] : [],
  );
  const ownFlagList = parts.flatMap((part) =>
    typeof part === "string" ? [{ flag: part, value: undefined }] : toOwnFlags(part),
  );
  const file = files.at(-1);
  if (file?.value === undefined) return ownFlagList;
  const { name, value: fileName } = file;
  if (!ownFlagList.some(isRepository)) throw new StartupError(`${name}: requires --hf-repo`);
  return ownFlagList.map((one) =>
    isRepository(one) ? { ...one, value: joinRepository(one.value, fileName) } : one,
  );
}

function isRepository(one: TranslatedFlag): one is TranslatedFlag & { readonly value: string } {
  return one.flag === "--model" && one.value?.startsWith("hf:") === true;
}

function isModelFlag({ effect }: GivenFlag): boolean {
  return effect?.kind === "setting" && effect.flag === "--model";
}

/** Replaces the total context by the context of one slot. */
function withoutTotalContext(translated: readonly TranslatedFlag[]): readonly TranslatedFlag[] {
  const total = translated.find(({ value, isTotal }) => isTotal && value !== undefined);
  const others = translated.filter((one) => one !== total);
  return total?.value === undefined
    ? others
    : [...others, { ...total, value: divideContext(total.value, slotsOf(others)) }];
}

const toList = <Item>(item: Item | undefined): readonly Item[] =>
  item === undefined ? [] : [item];

/** @throws {StartupError} the flag has no equivalent */
function toOwnFlags({ name, value, effect }: GivenFlag): readonly TranslatedFlag[] {
  switch (effect?.kind) {
    case undefined:
    case "accepted":
    case "repository-file":
    case "variable":
      return [];
    case "model-kind":
      return toList(effect.flag).map((flag) => ({ flag, value: undefined }));
    case "program":
      return [{ flag: name, value: undefined }];
    case "refused":
      throw new StartupError(`${name}: ${describeAlternative(effect)}`);
    case "choice":
      return [{ flag: effect.flag, value: effect.value }];
    case "setting": {
      const { flag, isTotal = false, takes } = effect;
      if (value === undefined) return [{ flag, value }];
      const items = takes === "each" ? value.split(",") : [value];
      return items
        .flatMap((item) => toList(toOwnValue(item, effect)))
        .map((written) => ({ flag, value: written, isTotal }));
    }
  }
}

function toVariable({ value, effect }: GivenFlag): readonly (readonly [string, string])[] {
  return effect?.kind === "variable" && value !== undefined ? [[effect.name, value]] : [];
}

/** Returns the value of `--parallel`: parsed, after `=`, or as the following argument. */
function slotsOf(translated: readonly TranslatedFlag[]): string | undefined {
  const index = translated.findIndex(({ flag }) => /^--parallel(=|$)/.test(flag));
  const { flag = "", value } = translated[index] ?? {};
  return value ?? flag.split("=")[1] ?? translated[index + 1]?.flag;
}
