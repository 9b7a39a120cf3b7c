import { StartupError } from "../../core/startup-error.js";
import { CPP_COMPILERS, checkTools, type Tool } from "./build-tools.js";
import { buildOf, loadBackend } from "./llama-backend.js";

/**
 * Compiles llama.cpp for the CPU of this machine, with all its instruction sets and with OpenMP,
 * which the prebuilt library lacks. The sources come with node-llama-cpp's package and the headers
 * with its dependencies, so nothing is downloaded. The result is stored in the package's folder and
 * is deleted with it when another version is installed. {@link loadBackend} prefers it.
 *
 * Compiling takes minutes; the compiler writes to standard output and standard error.
 * @throws {StartupError} a tool is missing, or the result cannot be loaded
 */
export async function buildNative(): Promise<void> {
  // node-llama-cpp would download a missing CMake, and detect a missing compiler late.
  checkTools("compiling llama.cpp", llamaBuildTools);
  const { DownloadLlamaCppCommand } = await import("node-llama-cpp/commands");
  await DownloadLlamaCppCommand({ gpu: false, noUsageExample: true }).catch((error: unknown) => {
    throw new StartupError("llama.cpp could not be compiled: see the messages above", error);
  });
  const llama = await loadBackend({ gpu: "off", log: () => undefined });
  if (buildOf(llama) !== "local") {
    throw new StartupError("llama.cpp was compiled but could not be loaded");
  }
}

/** Tools required to compile llama.cpp. */
export const llamaBuildTools = [
  { name: "git", programs: ["git"] },
  { name: "CMake", programs: ["cmake"] },
  { name: "make or Ninja", programs: ["make", "ninja"] },
  { name: "a C++ compiler", programs: CPP_COMPILERS },
] as const satisfies readonly Tool[];
