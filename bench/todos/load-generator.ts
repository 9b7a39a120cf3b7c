/**
 * Load-generator process. It receives loads as messages, runs them one after another, and sends
 * each result as a message. It sends `ready` at startup and exits when its parent disconnects.
 */
import { formatReason } from "../../src/core/format-reason.js";
import type { Load } from "./load.js";
import type { LoadReply } from "./load-generator-pool.js";
import { runLoad } from "./run-load.js";

process.on("message", async (load: Load) => {
  send(await replyTo(load));
});
process.once("disconnect", () => process.exit());
send({ kind: "ready" });

function send(reply: LoadReply): void {
  process.send?.(reply);
}

async function replyTo(load: Load): Promise<LoadReply> {
  try {
    return { kind: "done", result: await runLoad(load) };
  } catch (error) {
    return { kind: "failed", reason: formatReason(error) };
  }
}
