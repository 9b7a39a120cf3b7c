import { spawnSync } from "node:child_process";
import { StartupError } from "../../core/startup-error.js";

/** A tool that a build requires; any one of its programs suffices. */
export interface Tool {
  readonly name: string;
  readonly programs: readonly string[];
}

export const CPP_COMPILERS = ["c++", "g++", "clang++"] as const;

/**
 * Checks that all tools are installed before a build begins.
 * @param purpose what needs the tools, such as `compiling llama.cpp`
 * @param isInstalled whether a program of this name can be run
 * @throws {StartupError} names all missing tools and the commands that install them
 */
export function checkTools(
  purpose: string,
  tools: readonly Tool[],
  isInstalled: (program: string) => boolean = canRun,
): void {
  const missingTools = tools.filter(({ programs }) => !programs.some(isInstalled));
  if (missingTools.length === 0) return;
  const names = missingTools.map(({ name }) => name).join(", ");
  throw new StartupError(
    `${purpose} needs ${names}: not found; on Debian and Ubuntu: apt-get install git cmake build-essential; on macOS: xcode-select --install`,
  );
}

/** Returns whether a program of this name can be started. */
export function canRun(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}
