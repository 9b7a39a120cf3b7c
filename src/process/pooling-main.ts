/** Entry point of the process of a pooling model: a {@link ModelHost} on the IPC channel to the daemon. */

import { createPoolingEngine } from "../engine/pooling-engine.js";
import { ModelHost } from "./model-host.js";
import type { ToPooling } from "./protocol.js";
import { setUpChild } from "./set-up-child.js";

setUpChild("ggufd pooling");

const host = new ModelHost({
  load: createPoolingEngine,
  send: (report) => process.send?.(report),
});
process.on("message", (message: ToPooling) => {
  if (message.type === "load") process.title = `ggufd ${message.settings.kind}`;
  void host.receive(message);
});
