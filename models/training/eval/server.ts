import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { loadConfig } from "../../../src/config/load-config.js";
import { createLogger } from "../../../src/observability/logger.js";
import { progressBar } from "../../../src/progress-bar.js";

/**
 * Uses the server at an address, or, without one, our own daemon with the shipped model on a free
 * port of the loopback; that one has stopped when this returns, however it ends.
 * @param slots of our own daemon.
 */
export async function withServer<Result>(
  baseUrl: string | undefined,
  slots: number,
  use: (baseUrl: string) => Promise<Result>,
): Promise<Result> {
  if (baseUrl !== undefined) return use(baseUrl);
  const folder = mkdtempSync(join(tmpdir(), "ggufd-eval-"));
  try {
    // Loads the native library: other servers are evaluated without it.
    const { startDaemon } = await import("../../../src/runtime.js");
    const daemon = await startDaemon({
      config: loadConfig({
        flags: {
          port: "0",
          parallel: String(slots),
          drainTimeout: "0",
          todos: join(folder, "todos.json"),
        },
        environment: {},
      }).config,
      logger: createLogger("warn"),
      onProgress: progressBar("loading the model", process.stderr),
    });
    try {
      return await use(`${daemon.url}/v1`);
    } finally {
      await daemon.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
