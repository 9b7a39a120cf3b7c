import { execFile } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Compiles the victim into a folder and returns its path: a precompiled process starts in a third
 * of the time.
 */
export async function compileVictim(folder: string): Promise<string> {
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      noCheck: true,
      rootDir: root,
      outDir: join(folder, "compiled"),
      typeRoots: [join(root, "node_modules/@types")],
    },
    files: [join(root, "test/todos/faults/victim.ts")],
    include: [],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await promisify(execFile)(join(root, "node_modules/.bin/tsc"), ["-p", folder]);
  return join(folder, "compiled/test/todos/faults/victim.js");
}
