import { chmod, mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

const ONLY_OWNER = 0o700;
const FILE_OF_OWNER = 0o600;

/**
 * Returns the folder for an agent's persistent files: below the user's state folder of the XDG base
 * directories.
 */
export function clientFolder(
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
  await mkdir(folder, { recursive: true, mode: ONLY_OWNER });
  // An existing folder may have other permissions.
  await chmod(folder, ONLY_OWNER);
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await writeFile(path, text, { mode: FILE_OF_OWNER });
    await chmod(path, FILE_OF_OWNER);
  }
}
