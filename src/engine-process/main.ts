/** Entry point of the engine process: an {@link EngineHost} on the IPC channel to the daemon. */

import { nativeThreadsOf } from "../engine/llama/native-threads.js";
import { createLlamaEngine } from "../engine/llama-engine.js";
import { EngineHost } from "./engine-host.js";
import type { ToEngine } from "./protocol.js";

process.title = "ggufd engine";
// Ignored: a terminal signals the whole process group, but the daemon drains before it stops this.
process.on("SIGINT", () => undefined).on("SIGTERM", () => undefined);
process.on("disconnect", () => process.exit(0));

const host = new EngineHost(
  createLlamaEngine,
  (message) => process.send?.(message),
  nativeThreadsOf(process.env),
);
process.on("message", (message) => void host.receive(message as ToEngine));
