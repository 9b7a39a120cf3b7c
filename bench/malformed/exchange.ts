import { connect } from "node:net";
import type { RawRequest } from "./raw-request.js";

/** Server's response to the bytes of one connection. */
export interface Exchange {
  /** Statuses of all answers, in order; several if the server saw several requests. */
  readonly statuses: readonly number[];
  /** Start of the first answer, without its headers. */
  readonly answer: string;
  /** End of the exchange: the server closed the connection, or sent nothing more in time. */
  readonly end: "closed" | "silent";
}

/** Maximum number of answer bytes that are inspected. */
const MAX_READ = 65_536;
const MAX_SHOWN = 400;

/**
 * Sends bytes over a new connection and reads until the server closes it. Never rejects.
 * @param timeoutMs time after which the exchange ends
 */
export function exchange(
  { hostname, port }: URL,
  { bytes, behind }: Pick<RawRequest, "bytes" | "behind">,
  timeoutMs: number,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    let length = 0;
    // Half open: an answer may arrive after the end of the request.
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const settle = (end: Exchange["end"]) => {
      clearTimeout(timer);
      socket.destroy();
      const text = Buffer.concat(received).toString("latin1");
      resolve({
        statuses: statusesIn(text),
        answer: withoutHeaders(text).slice(0, MAX_SHOWN),
        end,
      });
    };
    const timer = setTimeout(() => settle("silent"), timeoutMs);
    socket.on("data", (part) => {
      if (length < MAX_READ) received.push(part);
      length += part.length;
    });
    // The server may reset the connection while the request is still being sent.
    for (const event of ["end", "error", "close"]) socket.on(event, () => settle("closed"));
    if (behind === "end") socket.end(bytes);
    else socket.write(bytes);
  });
}

function withoutHeaders(answer: string): string {
  return answer.replace(/\r\n.*?\r\n\r\n/s, ": ");
}

/** Finds the statuses of the answers in the received text, without `100 Continue`. */
export function statusesIn(text: string): number[] {
  const heads = text.matchAll(/(?:^|\n|\})HTTP\/1\.[01] (\d{3})/g);
  return [...heads].map(([, status]) => Number(status)).filter((status) => status >= 200);
}
