import type { GrammarSource } from "../rules/grammar-source.js";

/** How often something is repeated; absent `max`: no limit. */
interface Bounds {
  readonly min: number;
  readonly max?: number;
}

/** No text is that long: a greater maximum is none. */
const MAX_REPETITIONS = 1_000_000;
const DIGITS = /\d+/y;
const SPACE = /[ \t]*/y;
const TWO_DOTS = /[ \t]*\.\.[ \t]*/y;

/**
 * Reads what repeats the part before it: `?`, `*`, `+`, `~n`, `~n..m`, `{n}`, `{n,}`, `{,m}` or `{n,m}`.
 * @returns `undefined`: nothing does
 * @throws {UnsupportedGrammar}
 */
export function readBounds(source: GrammarSource): Bounds | undefined {
  if (source.take("*")) return { min: 0 };
  if (source.take("+")) return { min: 1 };
  if (source.take("?")) return { min: 0, max: 1 };
  const start = source.position;
  if (source.take("~")) return checked(source, start, readRange(source));
  if (source.take("{")) return checked(source, start, readBraces(source));
  return undefined;
}

function readRange(source: GrammarSource): Bounds {
  const min = readNumber(source);
  if (min === undefined) throw source.expected("a number");
  if (source.takeMatch(TWO_DOTS) === undefined) return { min, max: min };
  const max = readNumber(source);
  if (max === undefined) throw source.expected("a number");
  return { min, max };
}

function readBraces(source: GrammarSource): Bounds {
  const low = readNumber(source);
  if (low === undefined && source.next !== ",") {
    throw source.expected("a number or a comma: templates are not supported");
  }
  const min = low ?? 0;
  const max = source.take(",") ? readNumber(source) : min;
  if (!source.take("}")) throw source.expected("a comma or }");
  return max === undefined ? { min } : { min, max };
}

function readNumber(source: GrammarSource): number | undefined {
  source.takeMatch(SPACE);
  const digits = source.takeMatch(DIGITS);
  if (digits !== undefined) source.takeMatch(SPACE);
  return digits === undefined ? undefined : Number(digits);
}

function checked(source: GrammarSource, start: number, { min, max }: Bounds): Bounds {
  if (min > MAX_REPETITIONS) {
    const reason = `expected at most ${MAX_REPETITIONS} repetitions, got ${min}`;
    throw source.unsupported(reason, start);
  }
  if (max === undefined || max > MAX_REPETITIONS) return { min };
  if (max < min) {
    throw source.unsupported(`expected a maximum of at least ${min}, got ${max}`, start);
  }
  return { min, max };
}
