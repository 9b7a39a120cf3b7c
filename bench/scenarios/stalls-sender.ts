/**
 * Process that sends the requests of `stalls`. It receives orders as messages and replies to each
 * with one message. It sends `ready` at startup and exits when its parent disconnects.
 */
import {
  type Answer,
  type SentRequest,
  sendPipelined,
  sendRequest,
} from "../client/send-request.js";
import type { BodySizes, PreparedRequest } from "./stalls-body.js";
import { worstRequests } from "./stalls-requests.js";

/**
 * Order to build or send a request. Building and preparation precede sending, so that they are not
 * measured.
 */
export type SenderOrder =
  | {
      readonly kind: "build";
      readonly name: string;
      readonly sizes: BodySizes;
      /** Base URL of the server. */
      readonly baseUrl: string;
    }
  | { readonly kind: "send" };

export type SenderReply =
  | { readonly kind: "ready" }
  | { readonly kind: "built"; readonly bytes: number }
  | { readonly kind: "answered"; readonly answer: Answer };

let send: () => Promise<Answer> = () => Promise.reject(new Error("nothing was built"));

process.on("message", async (order: SenderOrder) => {
  reply(await carryOut(order));
});
process.once("disconnect", () => process.exit());
reply({ kind: "ready" });

async function carryOut(order: SenderOrder): Promise<SenderReply> {
  if (order.kind === "send") return { kind: "answered", answer: await send() };
  const { name, sizes, baseUrl } = order;
  const worst = worstRequests.get(name);
  if (worst === undefined) throw new Error(`no request is named ${name}`);
  const { method, path, headers = {}, body, sent = "once", prepared } = worst;
  const id = prepared === undefined ? "" : await prepare(prepared, sizes, baseUrl);
  const withId = (text: string) => (prepared === undefined ? text : text.replaceAll("{id}", id));
  const url = new URL(withId(path), baseUrl);
  const request: SentRequest = {
    method,
    headers,
    body: body && Buffer.from(withId(body(sizes))),
  };
  send = () =>
    sent === "once" ? sendRequest(url, request) : sendPipelined(url, request, sizes.pipelined);
  return { kind: "built", bytes: request.body?.length ?? 0 };
}

/** @returns the id of the last created object; empty if it has none */
async function prepare(
  { path, body, times = 1 }: PreparedRequest,
  sizes: BodySizes,
  baseUrl: string,
): Promise<string> {
  const request = { method: "POST", headers: {}, body: Buffer.from(body(sizes)) };
  let id = "";
  for (let count = 0; count < times; count++) {
    const answer = await sendRequest(new URL(path, baseUrl), request);
    if (answer.kind === "none" || answer.status >= 300) {
      throw new Error(`${path} could not be prepared: ${JSON.stringify(answer)}`);
    }
    id = answer.id ?? "";
  }
  return id;
}

function reply(message: SenderReply): void {
  process.send?.(message);
}
