/**
 * The flags of llama-server, for those who come from there: what they mean there is said in ggufd's words, or the flag
 * that does it is named.
 */
import { StartupError } from "../core/startup-error.js";
import { type Counterpart, counterpartOf } from "./llama-server-counterparts.js";

/** A flag of llama-server as it was given, as ggufd's own flag. */
interface Translated {
  readonly flag: string;
  readonly value: string | undefined;
  /** It is the context of all slots. */
  readonly isTotal?: boolean;
}

/**
 * Arguments with flags of llama-server, as ggufd's own. As there, a context is divided among the slots whose number is
 * given.
 * @param args without the program; what follows `--` stays as it is
 * @throws {StartupError} naming a flag that has no counterpart, and what does it here
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

/** With the context of one slot for that of all. */
function withoutTotalContext(translated: readonly Translated[]): readonly Translated[] {
  const total = translated.find(({ value, isTotal }) => isTotal && value !== undefined);
  const others = translated.filter((one) => one !== total);
  return total === undefined ? others : [...others, { ...total, value: shareOf(total, others) }];
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
      throw new StartupError(`${flag}: ${insteadOf(counterpart)}`);
    case "choice":
      return { flag: counterpart.flag, value: counterpart.value };
    case "setting": {
      const { isTotal = false } = counterpart;
      if (value === undefined) return { flag: counterpart.flag, value };
      const written = writtenAs(value, counterpart);
      return written === undefined
        ? undefined
        : { flag: counterpart.flag, value: written, isTotal };
    }
  }
}

/** A value in ggufd's form; `undefined`: it asks for the default. */
export function writtenAs(
  value: string,
  { values = {}, prefix = "", prefixed = /^/ }: Extract<Counterpart, { kind: "setting" }>,
): string | undefined {
  if (Object.hasOwn(values, value)) return values[value];
  return prefixed.test(value) ? `${prefix}${value}` : value;
}

/** What is said to those who give a flag that has no counterpart. */
export function insteadOf({ instead }: { readonly instead: string }): string {
  return `a flag of llama-server; here, ${instead}`;
}

/** The context of one slot, where that of all is given as with llama-server; what are no numbers stays as it is. */
export function contextOfSlot(total: string, slotsGiven: unknown): string {
  const slots = Number(slotsGiven);
  return Number(total) > 0 && slots > 0 ? String(Math.floor(Number(total) / slots)) : total;
}

function shareOf({ value }: Translated, others: readonly Translated[]): string | undefined {
  return value === undefined ? undefined : contextOfSlot(value, slotsOf(others));
}

/** What `--parallel` is given: as its value, after `=`, or as the argument that follows it. */
function slotsOf(translated: readonly Translated[]): string | undefined {
  const index = translated.findIndex(({ flag }) => /^--parallel(=|$)/.test(flag));
  const { flag = "", value } = translated[index] ?? {};
  return value ?? flag.split("=")[1] ?? translated[index + 1]?.flag;
}
