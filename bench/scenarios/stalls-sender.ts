/**
 * The process that sends the bodies of `stalls`. It receives orders as messages and replies to each
 * with one. It sends `ready` at startup and exits when its parent disconnects.
 */
import { type Answer, postJson } from "../client/json-post.js";
import { worstBodies } from "./stalls-bodies.js";
import type { BodySizes } from "./stalls-body.js";

/** A body is built before it is sent, so that building costs no time of the measurement. */
export type SenderOrder =
  | { readonly kind: "build"; readonly name: string; readonly sizes: BodySizes }
  | { readonly kind: "send"; readonly url: string };

export type SenderReply =
  | { readonly kind: "ready" }
  | { readonly kind: "built"; readonly bytes: number }
  | { readonly kind: "answered"; readonly answer: Answer };

let body = Buffer.alloc(0);

process.on("message", async (order: SenderOrder) => {
  reply(await carryOut(order));
});
process.once("disconnect", () => process.exit());
reply({ kind: "ready" });

async function carryOut(order: SenderOrder): Promise<SenderReply> {
  if (order.kind === "send") return { kind: "answered", answer: await postJson(order.url, body) };
  const build = worstBodies.get(order.name);
  if (build === undefined) throw new Error(`no body is named ${order.name}`);
  body = Buffer.from(build(order.sizes));
  return { kind: "built", bytes: body.length };
}

function reply(message: SenderReply): void {
  process.send?.(message);
}
