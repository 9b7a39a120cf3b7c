import { parseArgs } from "node:util";
import { InputError } from "../models/command-line/input-error.js";

/** Command-line flag; a switch if it has no `value`. */
export interface Flag {
  readonly value?: string;
  readonly help: string;
}

export type Flags = Readonly<Record<string, Flag>>;

/**
 * Parses and validates a command line.
 * @throws {InputError} if a flag is unknown, lacks its value, or is a switch with a value
 */
export function readFlags(args: readonly string[], flags: Flags) {
  const { values, positionals } = parseFlags(args, flags);
  for (const [name, received] of Object.entries(values)) {
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined) {
      const expected = Object.keys(flags).map((valid) => `--${valid}`);
      throw new InputError(`--${name}: expected one of ${expected.join(", ")}`);
    }
    if (flag.value === undefined && received !== true) {
      throw new InputError(`--${name}: expected no value, got ${JSON.stringify(received)}`);
    }
    if (flag.value !== undefined && (typeof received !== "string" || received === "")) {
      throw new InputError(`--${name}: expected ${flag.value}, got nothing`);
    }
    if (
      typeof received === "string" &&
      /^--/.test(received) &&
      Object.hasOwn(flags, received.slice(2))
    ) {
      throw new InputError(`--${name}: expected ${flag.value}, got the flag ${received}`);
    }
  }
  return { names: positionals, values: new FlagValues(values as Record<string, string | true>) };
}

/** Like {@link readFlags}, without validation. */
export function parseFlags(args: readonly string[], flags: Flags) {
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

/** Flag values of a command line, as unparsed text. */
export class FlagValues {
  readonly #values: Readonly<Record<string, string | true>>;

  constructor(values: Readonly<Record<string, string | true>>) {
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  value(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  /** Splits the value at white space. */
  words(name: string): string[] {
    return this.value(name)?.split(/\s+/).filter(Boolean) ?? [];
  }

  integer(name: string): number | undefined {
    const text = this.value(name);
    return text === undefined ? undefined : parsePositiveInteger(name, text);
  }

  integers(name: string): number[] | undefined {
    return this.value(name)
      ?.split(",")
      .map((text) => parsePositiveInteger(name, text.trim()));
  }
}

function parsePositiveInteger(name: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InputError(`--${name}: expected a positive integer, got ${JSON.stringify(text)}`);
}
