import { StartupError } from "../../core/startup-error.js";
import { checkBuildTools } from "./build-tools.js";
import { buildOf, loadBackend } from "./llama-backend.js";

/**
 * Compiles llama.cpp for the CPU of this machine: with all its instructions, and with OpenMP, which
 * the ready-built library does without. The source comes with node-llama-cpp's package and the
 * headers with packages that it needs, so that nothing is downloaded. The result lies in the package
 * too and goes with it when another version is installed. {@link loadBackend} prefers it.
 *
 * It takes minutes; what the compiler says goes to standard output, and to standard error.
 * @throws {StartupError} when something is missing, or the result cannot be loaded.
 */
export async function buildNative(): Promise<void> {
  checkBuildTools();
  const { DownloadLlamaCppCommand } = await import("node-llama-cpp/commands");
  await DownloadLlamaCppCommand({ gpu: false, noUsageExample: true }).catch((error: unknown) => {
    throw new StartupError("llama.cpp could not be compiled: the reason stands above", error);
  });
  const llama = await loadBackend({ gpu: "off", log: () => undefined });
  const build = buildOf(llama);
  await llama.dispose();
  if (build !== "local") throw new StartupError("llama.cpp was compiled but could not be loaded");
}
