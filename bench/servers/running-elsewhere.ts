import type { Side } from "./server.js";

/**
 * A server that runs already, at any OpenAI base URL. It is never restarted: what keeps its runs
 * apart is that no two of them share a prompt.
 */
export function runningElsewhere(baseUrl: string): Side {
  return {
    label: new URL(baseUrl).host,
    start: async () => ({
      baseUrl,
      version: "unknown",
      command: [],
      pid: undefined,
      stop: async () => undefined,
    }),
  };
}
