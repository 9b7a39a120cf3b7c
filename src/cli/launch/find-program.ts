import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Finds a program on PATH, as a shell would; `undefined` if there is none. */
export async function findProgram(
  name: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  for (const folder of (environment.PATH ?? "").split(delimiter)) {
    const path = join(folder || ".", name);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
