import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "ggufd-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a file that is removed after the test file; returns its path. */
export function fileWith(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** A path that does not exist. */
export const missingFile = join(folder, "missing");
/** The path of a folder, which cannot be read as a file. */
export const folderPath = folder;
