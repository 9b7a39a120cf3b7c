import { dirname, isAbsolute, join, parse, sep } from "node:path";
import { errorCodeOf, unlessMissing } from "./error-code.js";
import type { FileSystem } from "./file-system.js";

/** As many as Linux follows (`MAXSYMLINKS`). */
const MAX_LINKS = 40;

/**
 * The path of a file without symbolic links, also where the file, or folders above it, do not exist
 * yet: where a system that follows the links would create it.
 * @param path absolute
 * @throws {Error} when the links are a loop, or cannot be read
 */
export async function realPathOf(files: FileSystem, path: string): Promise<string> {
  try {
    return (await unlessMissing(files.realpath(path))) ?? (await followLinks(files, path));
  } catch (cause) {
    if (errorCodeOf(cause) !== "ELOOP") throw cause;
    throw loop(cause);
  }
}

/** Segment by segment, since `..` behind a link means the folder above the link's target. */
async function followLinks(files: FileSystem, path: string): Promise<string> {
  let real = parse(path).root;
  let rest = path.slice(real.length).split(sep);
  let links = 0;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === "..") real = dirname(real);
    if (name === ".." || name === "." || name === "") continue;
    const next = join(real, name);
    const target = await targetOf(files, next);
    if (target === undefined) {
      real = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw loop(undefined);
    if (isAbsolute(target)) real = parse(target).root;
    rest = [...target.slice(parse(target).root.length).split(sep), ...rest];
  }
  return real;
}

/** Undefined: it is no link, or does not exist. */
async function targetOf(files: FileSystem, path: string): Promise<string | undefined> {
  try {
    return await unlessMissing(files.readlink(path));
  } catch (error) {
    if (errorCodeOf(error) === "EINVAL") return undefined;
    throw error;
  }
}

function loop(cause: unknown): Error {
  return new Error("expected a file or a link to one, got symbolic links in a loop", { cause });
}
