import { posix } from "node:path";

/** What the name of a GGUF file says. */
export interface GgufName {
  /** The name without the number of a part and without `.gguf`, with its folders. */
  readonly prefix: string;
  /** The quantisation, as the last word of the name in upper case; `undefined`: the name is one word. */
  readonly tag: string | undefined;
  /** Number of the part, from 1. */
  readonly part: number;
  readonly parts: number;
}

const PART = /^(?<prefix>.+)-(?<part>\d{5})-of-(?<parts>\d{5})$/i;
const LAST_WORD = /[-.]([A-Z0-9_]+)$/i;
const EXTENSION = /\.gguf$/i;

/**
 * Reads a file name as llama.cpp does (`get_gguf_split_info` in `common/download.cpp`).
 * @param path with `/` between its segments
 * @returns `undefined`: not a GGUF file by its name, or a part with an impossible number
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

/** The file names of all parts of a model, in order, from that of any one; a model that is not split has one. */
export function partNamesOf(path: string): readonly string[] {
  const name = readGgufName(path);
  if (name === undefined || name.parts === 1) return [path];
  const count = String(name.parts).padStart(5, "0");
  return Array.from(
    { length: name.parts },
    (_, index) => `${name.prefix}-${String(index + 1).padStart(5, "0")}-of-${count}.gguf`,
  );
}

/** Files that accompany a model: drafters, importance matrices (`gguf_filename_is_model` in llama.cpp). */
const COMPANION = /imatrix|mtp-|eagle3-|dflash-|dspark-/i;

/** What a GGUF file is by its name: a model, its projector for images or sounds, or something else beside it. */
export function roleOfName(path: string): "model" | "projector" | "companion" {
  const name = posix.basename(path);
  if (/mmproj/i.test(name)) return "projector";
  return COMPANION.test(name) ? "companion" : "model";
}

/**
 * Whether a file is of a quantisation: its path has the tag as a word, or several, with `.` or `-` after it. llama.cpp
 * looks for it that way too, but takes BF16 for F16.
 */
export function hasTag(path: string, tag: string): boolean {
  const literal = tag.replaceAll(/[^\w]/g, "\\$&");
  return new RegExp(`(?<![A-Z0-9])${literal}[.-]`, "i").test(path);
}

/** The bits of a quantisation, `Q4_K_M`: 4; 0: it does not say. */
export function bitsOfTag(tag: string | undefined): number {
  return Number(/\d+/.exec(tag ?? "")?.[0] ?? 0);
}

/** The model of several quantisations, for comparison: its file's name without the last word, in lower case. */
export function baseNameOf(path: string): string {
  const prefix = posix.basename(readGgufName(path)?.prefix ?? path);
  return prefix.replace(LAST_WORD, "").toLowerCase();
}
