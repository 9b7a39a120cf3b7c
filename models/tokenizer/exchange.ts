import { InputError } from "../input-error.js";
import type { Vocabulary } from "./vocabulary.js";

type Merge = Vocabulary["merges"][number];

/** A merge that the corpus no longer needs, and the one that takes its place and its token's id. */
export interface Exchange {
  readonly out: Merge;
  readonly into: Merge;
}

function parseMerge(text: string): Merge {
  const [left, right, ...rest] = text.split(" ");
  if (!left || !right || rest.length > 0) {
    throw new InputError(`--exchange: expected two parts with a space between, got "${text}"`);
  }
  return [left, right];
}

/**
 * Reads `OLD PARTS=NEW PARTS`, such as `? !=": "`.
 * @throws InputError if it is not of this form.
 */
export function parseExchange(option: string): Exchange {
  const [out, into, ...rest] = option.split("=");
  if (out === undefined || into === undefined || rest.length > 0) {
    throw new InputError(`--exchange: expected OLD PARTS=NEW PARTS, got "${option}"`);
  }
  return { out: parseMerge(out), into: parseMerge(into) };
}

/**
 * The merges after some exchanges, all others at their ranks, so that all other tokens keep their ids.
 * @throws InputError if one to be given up is not there, or another needs its token.
 */
export function exchangeMerges(
  merges: Vocabulary["merges"],
  exchanges: readonly Exchange[],
): Vocabulary["merges"] {
  const changed = [...merges];
  for (const { out, into } of exchanges) {
    const rank = changed.findIndex(([left, right]) => left === out[0] && right === out[1]);
    if (rank < 0) throw new InputError(`--exchange: there is no merge "${out.join(" ")}"`);
    const user = changed.find((merge) => merge.includes(out.join("")));
    if (user !== undefined) {
      throw new InputError(`--exchange: "${user.join(" ")}" needs the token "${out.join("")}"`);
    }
    changed[rank] = into;
  }
  return changed;
}

/**
 * Gives each new token the mean of its two parts for a row, in place.
 * @param embedding the rows of `vocabulary`, `width` numbers each.
 * @throws InputError if a part is no token.
 */
export function averageParts(
  embedding: Float32Array,
  width: number,
  { tokens }: Vocabulary,
  exchanges: readonly Exchange[],
): void {
  const rowOf = (token: string): Float32Array => {
    const id = tokens.indexOf(token);
    if (id < 0) throw new InputError(`--exchange: there is no token "${token}"`);
    return embedding.subarray(id * width, (id + 1) * width);
  };
  for (const { into } of exchanges) {
    const [left, right] = [rowOf(into[0]), rowOf(into[1])];
    rowOf(into.join("")).set(left.map((value, at) => (value + (right[at] ?? 0)) / 2));
  }
}
