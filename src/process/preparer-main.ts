/** Entry point of the process that prepares large prompts. A failure to load ends it. */
import { constants, setPriority } from "node:os";
import { reasonOf } from "../core/reason-of.js";
import { loadPreparer, type PromptPreparer } from "../engine/prompt-preparer.js";
import type { FromPreparer, ToPreparer } from "./preparer-protocol.js";
import { answerCall } from "./rpc.js";
import { setUpChild } from "./set-up-child.js";

setUpChild("ggufd prompts");
// Where cores are scarce, a prompt waits for the streams rather than they for it.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const send = (message: FromPreparer) => process.send?.(message);
let preparer: PromptPreparer | undefined;

process.on("message", async (message: ToPreparer) => {
  if (message.type === "load") {
    preparer = await loadPreparer(message.settings).catch((error: unknown) => {
      process.stderr.write(`ggufd prompts: ${reasonOf(error)}\n`);
      process.exit(1);
    });
    send({ type: "loaded" });
    return;
  }
  if (message.type === "ping") {
    // Nothing advances between its answers.
    send({ type: "pong", advances: 0 });
    return;
  }
  const answer = await answerCall(message, () => {
    if (preparer === undefined) throw new Error("nothing is loaded");
    return preparer;
  });
  if (answer !== undefined) send(answer);
});
