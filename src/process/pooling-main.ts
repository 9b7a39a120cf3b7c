/** Entry point of the process of a pooling model: a {@link ModelHost} controlled by the daemon. */

import { createPoolingEngine } from "../engine/pooling-engine.js";
import { ModelHost } from "./model-host.js";
import type { ToPooling } from "./protocol.js";
import { setUpChild } from "./set-up-child.js";

const send = setUpChild("ggufd pooling");

const host = new ModelHost({ load: createPoolingEngine, send });
process.on("message", (message: ToPooling) => {
  if (message.type === "load") process.title = `ggufd ${message.settings.kind}`;
  void host.receive(message);
});
