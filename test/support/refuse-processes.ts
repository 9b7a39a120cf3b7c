/**
 * Runs before the files of the projects `unit` and `http`: tests that start a process or load a
 * native library are slow, and belong to the project `server`.
 */
import { createRequire, syncBuiltinESMExports } from "node:module";

const REFUSED =
  "a test with a process or a native library is named x.process.test.ts or x.native.test.ts";

function refuse(): never {
  throw new Error(REFUSED);
}

const childProcess: Record<string, unknown> = createRequire(import.meta.url)("node:child_process");
for (const name of ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"]) {
  childProcess[name] = refuse;
}
// Applies to named imports as well.
syncBuiltinESMExports();
process.dlopen = refuse;
