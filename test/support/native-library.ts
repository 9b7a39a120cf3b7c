import { type Backend, loadBackend } from "../../src/engine/native/llama-backend.js";

/**
 * The process's native library on the CPU, without its log. Contexts that are not told otherwise compute on one
 * thread: llama.cpp's threads spin while they wait for each other, and several test files share the cores.
 */
export async function nativeLibrary(): Promise<Backend> {
  const llama = await loadBackend({ gpu: "off", log: () => undefined });
  llama.maxThreads = 1;
  return llama;
}
