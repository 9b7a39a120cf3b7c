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
interface Translated {
  readonly flag: string;
  readonly value: string | undefined;
  /** Whether the value is the total context of all slots. */
  readonly isTotal?: boolean;
}

/** llama-server flag as given. */
interface Given {
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
  const rest = end < 0 ? [] : args.slice(end);
  const parts = split(end < 0 ? args : args.slice(0, end));
  const given = parts.filter((part) => typeof part !== "string");
  const own = withoutTotalContext(translate(parts));
  const namesModel = given.find(isModelFlag);
  const takesAnyName =
    namesModel !== undefined &&
    SERVING_COMMAND.test(args[0] ?? "") &&
    given.some(({ name }) => !ownFlags.has(name)) &&
    !own.some(({ flag }) => flag === "--models-preset") &&
    environment[environmentVariableOf(ANY_MODEL)] === undefined;
  return {
    args: [
      ...own.flatMap(({ flag, value }) => [flag, ...listOf(value)]),
      ...(takesAnyName ? [flagOf(ANY_MODEL)] : []),
      ...rest,
    ],
    notices: [
      ...given.flatMap(({ name, effect }) => listOf(describeNotice(name, effect))),
      ...(takesAnyName ? [describeAnyName(namesModel.name)] : []),
    ],
    variables: Object.fromEntries(given.flatMap(toVariable)),
  };
}

/** Notice that the model of a flag or variable answers to any name. */
export function describeAnyName(origin: string): string {
  return `${origin}: as in llama-server, requests for any model are answered by this one; ${environmentVariableOf(ANY_MODEL)}=false refuses unknown names`;
}

/** Own flags, with whether they take a value. */
const ownFlags: ReadonlySet<string> = new Set(settingNames.map(flagOf));

/** Splits arguments into llama-server's flags and all others. */
function split(args: readonly string[]): readonly (Given | string)[] {
  const parts: (Given | string)[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? "";
    const [written = "", inline] = argument.split(/=(.*)/s);
    // llama-server reads --ctx_size as --ctx-size.
    const name = written.startsWith("--") ? written.replaceAll("_", "-") : written;
    const named = findOption(name);
    const next = inline ?? args[index + 1];
    const hasOwnValue = inline !== undefined || (next !== undefined && !next.startsWith("-"));
    if (named === undefined || (hasOwnValue && isOtherwiseOwn(name))) {
      parts.push(argument);
      continue;
    }
    const value = named.option.takes === "value" ? next : undefined;
    if (value !== undefined && inline === undefined) index++;
    parts.push({ name, value, effect: effectOf(named, value) });
  }
  return parts;
}

/** Whether a flag is ggufd's with another meaning, such as `--draft`. */
function isOtherwiseOwn(name: string): boolean {
  const effect = findOption(name)?.option.effect;
  if (!ownFlags.has(name) || effect === undefined) return false;
  return effect.kind === "refused" || (effect.kind === "choice" && effect.value !== undefined);
}

function translate(parts: readonly (Given | string)[]): readonly Translated[] {
  const files = parts.flatMap((part) =>
    typeof part !== "string" && part.effect?.kind === "repository-file" ? [part] : [],
  );
  const own = parts.flatMap((part) =>
    typeof part === "string" ? [{ flag: part, value: undefined }] : toOwnFlags(part),
  );
  const file = files.at(-1);
  if (file?.value === undefined) return own;
  const { name, value: fileName } = file;
  if (!own.some(isRepository)) throw new StartupError(`${name}: requires --hf-repo`);
  return own.map((one) =>
    isRepository(one) ? { ...one, value: joinRepository(one.value, fileName) } : one,
  );
}

function isRepository(one: Translated): one is Translated & { readonly value: string } {
  return one.flag === "--model" && one.value?.startsWith("hf:") === true;
}

function isModelFlag({ effect }: Given): boolean {
  return effect?.kind === "setting" && effect.flag === "--model";
}

/** Replaces the total context by the context of one slot. */
function withoutTotalContext(translated: readonly Translated[]): readonly Translated[] {
  const total = translated.find(({ value, isTotal }) => isTotal && value !== undefined);
  const others = translated.filter((one) => one !== total);
  return total?.value === undefined
    ? others
    : [...others, { ...total, value: divideContext(total.value, slotsOf(others)) }];
}

const listOf = <Item>(item: Item | undefined): readonly Item[] =>
  item === undefined ? [] : [item];

/** @throws {StartupError} the flag has no equivalent */
function toOwnFlags({ name, value, effect }: Given): readonly Translated[] {
  switch (effect?.kind) {
    case undefined:
    case "accepted":
    case "repository-file":
    case "variable":
      return [];
    case "model-kind":
      return listOf(effect.flag).map((flag) => ({ flag, value: undefined }));
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
        .flatMap((item) => listOf(toOwnValue(item, effect)))
        .map((written) => ({ flag, value: written, isTotal }));
    }
  }
}

function toVariable({ value, effect }: Given): readonly (readonly [string, string])[] {
  return effect?.kind === "variable" && value !== undefined ? [[effect.name, value]] : [];
}

/** Returns the value of `--parallel`: parsed, after `=`, or as the following argument. */
function slotsOf(translated: readonly Translated[]): string | undefined {
  const index = translated.findIndex(({ flag }) => /^--parallel(=|$)/.test(flag));
  const { flag = "", value } = translated[index] ?? {};
  return value ?? flag.split("=")[1] ?? translated[index + 1]?.flag;
}
