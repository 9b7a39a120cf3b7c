import { chmod, mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * Returns the folder for an agent's persistent files: below the user's state folder of the XDG base
 * directories.
 */
export function resolveClientFolder(
  name: string,
  environment: NodeJS.ProcessEnv,
  home: string = homedir(),
): string {
  return join(environment.XDG_STATE_HOME || join(home, ".local", "state"), "ggufd", "launch", name);
}

/** Writes files into a folder that only its owner can read, creating it if needed. */
export async function writePrivately(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  // An existing folder may have other permissions.
  await chmod(folder, FOLDER_MODE);
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await writeFile(path, text, { mode: FILE_MODE });
    await chmod(path, FILE_MODE);
  }
}
