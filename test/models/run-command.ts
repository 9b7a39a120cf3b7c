import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Runs a script of `models/` with flags separated by spaces, and waits until it exits. */
export function runCommand(script: string, flags: string) {
  const args = flags === "" ? [] : flags.split(" ");
  const command = ["--import", "tsx", `models/${script}.ts`, ...args];
  return spawnSync(process.execPath, command, { cwd: root, encoding: "utf8" });
}
