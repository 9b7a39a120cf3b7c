import { spawnSync } from "node:child_process";
import { StartupError } from "../../core/startup-error.js";

/** What compiling llama.cpp requires; one program of each kind suffices. */
const tools = [
  { name: "git", programs: ["git"] },
  { name: "CMake", programs: ["cmake"] },
  { name: "make or Ninja", programs: ["make", "ninja"] },
  { name: "a C++ compiler", programs: ["c++", "g++", "clang++"] },
] as const;

/**
 * Checks all tools before the build begins: node-llama-cpp would download a missing CMake, and
 * detect a missing compiler late.
 * @param isInstalled whether a program can be run by this name
 * @throws {StartupError} listing all missing tools
 */
export function checkBuildTools(isInstalled: (program: string) => boolean = canRun): void {
  const missing = tools.filter(({ programs }) => !programs.some(isInstalled));
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(", ");
  throw new StartupError(
    `compiling llama.cpp needs ${names}: not found; ` +
      "on Debian and Ubuntu: apt-get install git cmake build-essential",
  );
}

function canRun(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}
