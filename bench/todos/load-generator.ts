/**
 * A process that makes loads, one after the other: each is a message, and so is what came of it. It
 * says when it is ready, and ends with the process that started it.
 */
import { reasonOf } from "../../src/core/reason-of.js";
import type { Load } from "./load.js";
import type { LoadReply } from "./load-processes.js";
import { runLoad } from "./run-load.js";

process.on("message", async (load: Load) => {
  say(await replyTo(load));
});
process.once("disconnect", () => process.exit());
say({ kind: "ready" });

function say(reply: LoadReply): void {
  process.send?.(reply);
}

async function replyTo(load: Load): Promise<LoadReply> {
  try {
    return { kind: "done", result: await runLoad(load) };
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error) };
  }
}
