/** Entry point of the process of a pooling model: a {@link PoolingHost} on the IPC channel to the daemon. */

import { createPoolingEngine } from "../engine/pooling-engine.js";
import { PoolingHost } from "./pooling-host.js";
import type { ToPooling } from "./pooling-protocol.js";
import { setUpChild } from "./set-up-child.js";

setUpChild("ggufd pooling");

const host = new PoolingHost(createPoolingEngine, (message) => process.send?.(message));
process.on("message", (message: ToPooling) => {
  if (message.type === "load") process.title = `ggufd ${message.settings.kind}`;
  void host.receive(message);
});
