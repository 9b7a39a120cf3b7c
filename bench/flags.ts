import { parseArgs } from "node:util";
import { InputError } from "../models/command-line/input-error.js";

/** A flag of a command line; one without `value` is a switch. */
export interface Flag {
  readonly value?: string;
  readonly help: string;
}

export type Flags = Readonly<Record<string, Flag>>;

/**
 * Splits a command line into names and flags.
 * @throws {InputError} when a flag is unknown, has no value, or has one that it must not have.
 */
export function readFlags(args: readonly string[], flags: Flags) {
  const { values, positionals } = splitFlags(args, flags);
  for (const [name, came] of Object.entries(values)) {
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined) {
      const expected = Object.keys(flags).map((known) => `--${known}`);
      throw new InputError(`--${name}: expected one of ${expected.join(", ")}`);
    }
    if (flag.value === undefined && came !== true) {
      throw new InputError(`--${name}: expected no value, got ${JSON.stringify(came)}`);
    }
    if (flag.value !== undefined && (typeof came !== "string" || came === "")) {
      throw new InputError(`--${name}: expected ${flag.value}, got nothing`);
    }
    if (typeof came === "string" && /^--/.test(came) && Object.hasOwn(flags, came.slice(2))) {
      throw new InputError(`--${name}: expected ${flag.value}, got the flag ${came}`);
    }
  }
  return { names: positionals, texts: new FlagTexts(values as Record<string, string | true>) };
}

/** As {@link readFlags}, but refuses nothing. */
export function splitFlags(args: readonly string[], flags: Flags) {
  const options = Object.entries(flags).map(([name, { value }]) => {
    const type = value === undefined ? ("boolean" as const) : ("string" as const);
    return [name, { type }] as const;
  });
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    strict: false,
    options: Object.fromEntries(options),
  });
}

/** The flags of a command line as they were written. */
export class FlagTexts {
  readonly #values: Readonly<Record<string, string | true>>;

  constructor(values: Readonly<Record<string, string | true>>) {
    this.#values = values;
  }

  given(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  value(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  /** What stands between spaces. */
  words(name: string): string[] {
    return this.value(name)?.split(/\s+/).filter(Boolean) ?? [];
  }

  integer(name: string): number | undefined {
    const text = this.value(name);
    return text === undefined ? undefined : positiveInteger(name, text);
  }

  integers(name: string): number[] | undefined {
    return this.value(name)
      ?.split(",")
      .map((text) => positiveInteger(name, text.trim()));
  }
}

function positiveInteger(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InputError(`--${name}: expected a positive integer, got ${JSON.stringify(text)}`);
}
