import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A folder for the configuration files of one test file, which is removed after it. */
export function configFolder() {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-config-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  return {
    /** Writes a file; returns its path. */
    fileWith(name: string, content: string | Uint8Array): string {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
    /** A path that does not exist. */
    missingFile: join(folder, "missing"),
    /** The path of a folder, which cannot be read as a file. */
    folderPath: folder,
  };
}
