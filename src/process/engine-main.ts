/** Entry point of the engine process: an {@link EngineHost} controlled by the daemon. */

import { createLlamaEngine } from "../engine/llama-engine.js";
import { readNativeThreads } from "../engine/native/native-threads.js";
import { bindToCores } from "./bind-cores.js";
import { DecoderPool } from "./decoder-pool.js";
import { EngineHost } from "./engine-host.js";
import type { ToEngine } from "./protocol.js";
import { lowerHelperThreads, setUpChild } from "./set-up-child.js";

lowerHelperThreads();
const send = setUpChild("ggufd spare");
const host = new EngineHost(
  (settings, hooks) => createLlamaEngine(bindToCores(settings, hooks), hooks, new DecoderPool()),
  send,
  readNativeThreads(process.env),
);
process.on("message", (message: ToEngine) => {
  if (message.type === "load") process.title = "ggufd engine";
  void host.receive(message);
});
