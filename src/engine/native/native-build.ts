import { spawnSync } from "node:child_process";
import { StartupError } from "../../core/startup-error.js";
import { buildOf, loadBackend } from "./llama-backend.js";

/**
 * Compiles llama.cpp for the CPU of this machine: with all its instruction sets, and with OpenMP,
 * which the prebuilt library lacks. The sources come with node-llama-cpp's package and the headers
 * with its dependencies, so nothing is downloaded. The result lies in the package's folder and is
 * deleted with it when another version is installed. {@link loadBackend} prefers it.
 *
 * It takes minutes; the compiler's output goes to standard output and standard error.
 * @throws {StartupError} when a tool is missing, or the result cannot be loaded
 */
export async function buildNative(): Promise<void> {
  checkBuildTools();
  const { DownloadLlamaCppCommand } = await import("node-llama-cpp/commands");
  await DownloadLlamaCppCommand({ gpu: false, noUsageExample: true }).catch((error: unknown) => {
    throw new StartupError("llama.cpp could not be compiled: see the messages above", error);
  });
  const llama = await loadBackend({ gpu: "off", log: () => undefined });
  if (buildOf(llama) !== "local") {
    throw new StartupError("llama.cpp was compiled but could not be loaded");
  }
}

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
