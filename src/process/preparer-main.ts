/**
 * Entry point of the process that prepares large prompts: a {@link ModelHost} controlled by the
 * daemon.
 */
import { loadPreparer, type PreparerSettings } from "../engine/prompt-preparer.js";
import { ModelHost } from "./model-host.js";
import type { ToPreparer } from "./protocol.js";
import { setUpChild } from "./set-up-child.js";

const send = setUpChild("ggufd prompts");

const host = new ModelHost({
  load: async (settings: PreparerSettings) => ({
    ...(await loadPreparer(settings)),
    description: undefined,
    close: async () => undefined,
  }),
  send,
});
process.on("message", (message: ToPreparer) => void host.receive(message));
