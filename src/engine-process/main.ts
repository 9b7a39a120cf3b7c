/** The engine process: an {@link EngineHost} over the channel to the daemon that started it. */
import { createLlamaEngine } from "../engine/llama-engine.js";
import { EngineHost } from "./engine-host.js";
import type { ToEngine } from "./protocol.js";

process.title = "ggufd engine";
// A terminal signals all its processes. The daemon alone decides: it drains first.
process.on("SIGINT", () => undefined).on("SIGTERM", () => undefined);
process.on("disconnect", () => process.exit(0));

const host = new EngineHost(createLlamaEngine, (message) => process.send?.(message));
process.on("message", (message) => void host.receive(message as ToEngine));
