/** Entry point of the engine process: an {@link EngineHost} on the IPC channel to the daemon. */

import { createLlamaEngine } from "../engine/llama-engine.js";
import { nativeThreadsOf } from "../engine/native/native-threads.js";
import { EngineHost } from "./engine-host.js";
import type { ToEngine } from "./protocol.js";
import { setUpChild } from "./set-up-child.js";

setUpChild("ggufd engine");

const host = new EngineHost(
  createLlamaEngine,
  (message) => process.send?.(message),
  nativeThreadsOf(process.env),
);
process.on("message", (message) => void host.receive(message as ToEngine));
