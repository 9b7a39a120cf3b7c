import { spawnSync } from "node:child_process";
import { StartupError } from "../../core/startup-error.js";

/** What a build requires; one program of each kind suffices. */
export interface Tool {
  readonly name: string;
  readonly programs: readonly string[];
}

export const CPP_COMPILERS = ["c++", "g++", "clang++"] as const;

/**
 * Checks all tools before a build begins.
 * @param purpose that they are for, such as `compiling llama.cpp`
 * @param isInstalled whether a program can be run by this name
 * @throws {StartupError} naming all missing tools, and how they are installed
 */
export function checkTools(
  purpose: string,
  tools: readonly Tool[],
  isInstalled: (program: string) => boolean = canRun,
): void {
  const missing = tools.filter(({ programs }) => !programs.some(isInstalled));
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(", ");
  throw new StartupError(
    `${purpose} needs ${names}: not found; on Debian and Ubuntu: apt-get install git cmake build-essential; on macOS: xcode-select --install`,
  );
}

/** Whether a program can be started by this name. */
export function canRun(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}
