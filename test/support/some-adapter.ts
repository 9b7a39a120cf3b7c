import type { LoadedAdapter } from "../../src/core/adapters.js";
import { NO_MEMORY } from "../../src/core/memory-use.js";

/** An adapter that is loaded, and used by requests that ask for it. */
export function someAdapter(name: string, given: Partial<LoadedAdapter> = {}): LoadedAdapter {
  const path = `/models/${name}.gguf`;
  return { name, path, scale: 1, use: "when-asked", memory: NO_MEMORY, ...given };
}
