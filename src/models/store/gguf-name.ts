import { posix } from "node:path";

/** Parts of a GGUF file name. */
export interface GgufName {
  /** Path without the part number and `.gguf`. */
  readonly prefix: string;
  /**
   * Quantisation: the last word of the name in upper case; `undefined` if the name is a single
   * word.
   */
  readonly tag: string | undefined;
  /** Number of the part, from 1. */
  readonly part: number;
  readonly parts: number;
}

const PART = /^(?<prefix>.+)-(?<part>\d{5})-of-(?<parts>\d{5})$/i;
const LAST_WORD = /[-.]([A-Z0-9_]+)$/i;
const EXTENSION = /\.gguf$/i;

/**
 * Parses a file name as llama.cpp does (`get_gguf_split_info` in `common/download.cpp`).
 * @param path with `/` as separator
 * @returns `undefined` if the name is not that of a GGUF file, or has an impossible part number
 */
export function readGgufName(path: string): GgufName | undefined {
  if (!EXTENSION.test(path)) return undefined;
  const stem = path.replace(EXTENSION, "");
  const groups = PART.exec(stem)?.groups;
  const { prefix = stem, part = "1", parts = "1" } = groups ?? {};
  if (Number(part) < 1 || Number(part) > Number(parts)) return undefined;
  const tag = LAST_WORD.exec(posix.basename(prefix))?.[1]?.toUpperCase();
  return { prefix, tag, part: Number(part), parts: Number(parts) };
}

/**
 * Returns the file names of all parts of a model, in order, given any of them; an unsplit model has
 * one.
 */
export function buildPartNames(path: string): readonly string[] {
  const name = readGgufName(path);
  if (name === undefined || name.parts === 1) return [path];
  const count = String(name.parts).padStart(5, "0");
  return Array.from(
    { length: name.parts },
    (_, index) => `${name.prefix}-${String(index + 1).padStart(5, "0")}-of-${count}.gguf`,
  );
}

/**
 * Files that accompany a model: drafters, importance matrices (`gguf_filename_is_model` in
 * llama.cpp).
 */
const COMPANION = /imatrix|mtp-|eagle3-|dflash-|dspark-/i;

/**
 * Classifies a GGUF file by its name: a model, its projector for images or audio, or another
 * companion file.
 */
export function roleOfName(path: string): "model" | "projector" | "companion" {
  const name = posix.basename(path);
  if (/mmproj/i.test(name)) return "projector";
  return COMPANION.test(name) ? "companion" : "model";
}

/**
 * Whether a file has a quantisation: its path contains the tag as one or more words, followed by
 * `.` or `-`. llama.cpp searches alike, but accepts BF16 for F16.
 */
export function hasTag(path: string, tag: string): boolean {
  const literal = tag.replaceAll(/[^\w]/g, "\\$&");
  return new RegExp(`(?<![A-Z0-9])${literal}[.-]`, "i").test(path);
}

/** Returns the bits of a quantisation, 4 for `Q4_K_M`; 0 if unknown. */
export function bitsOfTag(tag: string | undefined): number {
  return Number(/\d+/.exec(tag ?? "")?.[0] ?? 0);
}

/**
 * Returns a name shared by all quantisations of a model: its file name without the last word, in
 * lower case.
 */
export function parseBaseName(path: string): string {
  const prefix = posix.basename(readGgufName(path)?.prefix ?? path);
  return prefix.replace(LAST_WORD, "").toLowerCase();
}
