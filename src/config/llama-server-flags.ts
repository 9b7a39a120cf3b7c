/** Translates llama-server's flags to ggufd's, or names the flag to use instead. */
import { StartupError } from "../core/startup-error.js";
import { type Counterpart, counterpartOf } from "./llama-server-counterparts.js";

/** llama-server flag translated to ggufd's. */
interface Translated {
  readonly flag: string;
  readonly value: string | undefined;
  /** Whether the value is the total context of all slots. */
  readonly isTotal?: boolean;
}

/**
 * Translates arguments with llama-server's flags to ggufd's own. As in llama-server, a given
 * context size is divided by the given number of slots.
 * @param args without the program; arguments after `--` stay unchanged
 * @throws {StartupError} names a flag without an equivalent, and ggufd's alternative
 */
export function fromLlamaServer(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  const given = end < 0 ? args : args.slice(0, end);
  const others = end < 0 ? [] : args.slice(end);
  const translated = withoutTotalContext(translate(given));
  return [...translated.flatMap(({ flag, value }) => [flag, ...listOf(value)]), ...others];
}

function translate(given: readonly string[]): readonly Translated[] {
  const translated: Translated[] = [];
  for (let index = 0; index < given.length; index++) {
    const argument = given[index] ?? "";
    const [flag = "", inline] = argument.split(/=(.*)/s);
    const counterpart = counterpartOf(flag);
    if (counterpart === undefined) {
      translated.push({ flag: argument, value: undefined });
      continue;
    }
    const value = counterpart.kind === "setting" ? (inline ?? given[++index]) : undefined;
    translated.push(...listOf(toOwnFlag(flag, value, counterpart)));
  }
  return translated;
}

/** Replaces the total context by the context of one slot. */
function withoutTotalContext(translated: readonly Translated[]): readonly Translated[] {
  const total = translated.find(({ value, isTotal }) => isTotal && value !== undefined);
  const others = translated.filter((one) => one !== total);
  return total === undefined
    ? others
    : [...others, { ...total, value: divideTotalContext(total, others) }];
}

const listOf = <Item>(item: Item | undefined): readonly Item[] =>
  item === undefined ? [] : [item];

function toOwnFlag(
  flag: string,
  value: string | undefined,
  counterpart: Counterpart,
): Translated | undefined {
  switch (counterpart.kind) {
    case "always":
      return undefined;
    case "none":
    case "model-kind":
      throw new StartupError(`${flag}: ${describeAlternative(counterpart)}`);
    case "choice":
      return { flag: counterpart.flag, value: counterpart.value };
    case "setting": {
      const { isTotal = false } = counterpart;
      if (value === undefined) return { flag: counterpart.flag, value };
      const written = toOwnValue(value, counterpart);
      return written === undefined
        ? undefined
        : { flag: counterpart.flag, value: written, isTotal };
    }
  }
}

/** Translates a value to ggufd's form; `undefined` if it means the default. */
export function toOwnValue(
  value: string,
  { values = {}, prefix = "", prefixed = /^/ }: Extract<Counterpart, { kind: "setting" }>,
): string | undefined {
  if (Object.hasOwn(values, value)) return values[value];
  return prefixed.test(value) ? `${prefix}${value}` : value;
}

/** Returns the error message for a flag without an equivalent. */
export function describeAlternative({ instead }: { readonly instead: string }): string {
  return `a flag of llama-server; here, ${instead}`;
}

/** Divides a total context by the number of slots; a text that is not a number stays unchanged. */
export function divideContext(total: string, slotsGiven: unknown): string {
  const slots = Number(slotsGiven);
  return Number(total) > 0 && slots > 0 ? String(Math.floor(Number(total) / slots)) : total;
}

function divideTotalContext(
  { value }: Translated,
  others: readonly Translated[],
): string | undefined {
  return value === undefined ? undefined : divideContext(value, slotsOf(others));
}

/** Returns the value of `--parallel`: parsed, after `=`, or as the following argument. */
function slotsOf(translated: readonly Translated[]): string | undefined {
  const index = translated.findIndex(({ flag }) => /^--parallel(=|$)/.test(flag));
  const { flag = "", value } = translated[index] ?? {};
  return value ?? flag.split("=")[1] ?? translated[index + 1]?.flag;
}
