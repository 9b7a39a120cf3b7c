import type { Side } from "./server.js";

/**
 * Server that is already running, at any OpenAI base URL. It is never restarted; its runs are
 * independent only because no two of them share a prompt.
 */
export function externalServer(baseUrl: string): Side {
  return {
    kind: "external",
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
