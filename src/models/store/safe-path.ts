import { posix } from "node:path";
import { hasHiddenCharacters } from "../../core/hidden-characters.js";

/** Path segment that is a plain name on every system: no `..` and no separators. */
const SEGMENT = /^(?!\.{1,2}$)[^/\\:*?"<>|]{1,255}$/u;
/** Windows device names, with any extension, and names that Windows shortens. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$|[. ]$/i;
const MAX_PATH_CHARACTERS = 1024;

/**
 * Whether a path, with `/` as separator, stays below the folder that it is joined to, on every
 * system. Required for all file names from hubs, registries and manifests.
 */
export function isSafePath(path: string): boolean {
  return path.length <= MAX_PATH_CHARACTERS && path.split("/").every(isSafeSegment);
}

/** Whether a single path segment is safe. */
export function isSafeSegment(name: string): boolean {
  const isName = SEGMENT.test(name) && !RESERVED.test(name) && !hasHiddenCharacters(name);
  return isName && Buffer.byteLength(name) <= 255;
}

/**
 * Maximum length of a pulled file's name. A pull creates files with longer names, such as
 * `NAME.json.lock.takeover.UUID`, and file systems limit names to 255 bytes.
 */
const MAX_PULLED_NAME_BYTES = 192;

/** Describes the file names that {@link isPullablePath} accepts. */
export const PULLABLE_NAMES = `at most ${MAX_PULLED_NAME_BYTES} bytes without control or format characters`;

/**
 * Whether a file can be pulled to a safe path: its name must leave room for the suffixes of
 * auxiliary files.
 */
export function isPullablePath(path: string): boolean {
  return isSafePath(path) && Buffer.byteLength(posix.basename(path)) <= MAX_PULLED_NAME_BYTES;
}
