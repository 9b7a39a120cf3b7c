import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";

/** Whether a path is inside of a folder, at any depth. */
export function isBelow(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below !== "" && below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

/**
 * Resolves a path that a client sent, relative to a folder, following symbolic links.
 * @returns `undefined`: nothing exists there, or it is outside of the folder
 * @throws {Error} the folder itself cannot be read
 */
export async function resolveBelow(folder: string, path: string): Promise<string | undefined> {
  const [base, found] = await Promise.all([
    realpath(folder),
    realpath(resolve(folder, path)).catch(() => undefined),
  ]);
  return found !== undefined && isBelow(base, found) ? found : undefined;
}
