/** Entry point of the engine process: an {@link EngineHost} that the daemon talks to. */

import { createLlamaEngine } from "../engine/llama-engine.js";
import { nativeThreadsOf } from "../engine/native/native-threads.js";
import { EngineHost } from "./engine-host.js";
import type { ToEngine } from "./protocol.js";
import { lowerHelperThreads, setUpChild } from "./set-up-child.js";

lowerHelperThreads();
const send = setUpChild("ggufd engine");
const host = new EngineHost(createLlamaEngine, send, nativeThreadsOf(process.env));
process.on("message", (message) => void host.receive(message as ToEngine));
