import { isAbsolute, posix, relative, sep } from "node:path";
import { hasHiddenCharacters } from "../../core/hidden-characters.js";

/** Segments of a path that no system takes for something else than a name: no `..`, no separators, no devices. */
const SEGMENT = /^(?!\.{1,2}$)[^/\\:*?"<>|]{1,255}$/u;
/** Names of devices in Windows, with any extension, and names that Windows shortens. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$|[. ]$/i;
const MAX_PATH_CHARACTERS = 1024;

/**
 * Whether a path, with `/` between its segments, stays below the folder that it is joined to, on every system. What a
 * hub, a registry or a manifest calls a file is checked by this before it becomes a path.
 */
export function isSafePath(path: string): boolean {
  return path.length <= MAX_PATH_CHARACTERS && path.split("/").every(isSafeSegment);
}

/** The same of one name. */
export function isSafeSegment(name: string): boolean {
  const isName = SEGMENT.test(name) && !RESERVED.test(name) && !hasHiddenCharacters(name);
  return isName && Buffer.byteLength(name) <= 255;
}

/** A pull creates files of longer names, such as `NAME.json.lock.takeover.UUID`, and no system takes more than 255 bytes. */
const MAX_PULLED_NAME_BYTES = 192;

/** File names that {@link isPullablePath} accepts, in words. */
export const PULLABLE_NAMES = `at most ${MAX_PULLED_NAME_BYTES} bytes without control or format characters`;

/** Whether a file can be pulled to a safe path: its name leaves room for those of the files beside it. */
export function isPullablePath(path: string): boolean {
  return isSafePath(path) && Buffer.byteLength(posix.basename(path)) <= MAX_PULLED_NAME_BYTES;
}

/** Whether a path leads to something in a folder, or in a folder below it. */
export function isBelow(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== "" && below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}
