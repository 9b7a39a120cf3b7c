import { type Backend, loadBackend } from "../../src/engine/native/llama-backend.js";

/**
 * Process's native library on the CPU, without its log. By default contexts compute on one thread,
 * because llama.cpp's threads spin while they wait for each other, and several test files share the
 * cores.
 */
export async function nativeLibrary(): Promise<Backend> {
  const llama = await loadBackend({ gpu: "off", log: () => undefined });
  llama.maxThreads = 1;
  return llama;
}
