import { connect } from "node:net";
import type { RawRequest } from "./raw-request.js";

/** What a server did with the bytes of a connection. */
export interface Exchange {
  /** Of all answers, in order; more than one where it saw more than one request. */
  readonly statuses: readonly number[];
  /** The beginning of the first answer, without its headers. */
  readonly answer: string;
  /** How it ended: the server closed the connection, or there was nothing more in time. */
  readonly end: "closed" | "silent";
}

/** So much of an answer is looked at. */
const MAX_READ = 65_536;
const MAX_SHOWN = 400;

/**
 * Sends bytes over a connection of their own and reads until the server closes it. Never rejects.
 * @param timeoutMs after which it is given up.
 */
export function exchange(
  { hostname, port }: URL,
  { bytes, behind }: Pick<RawRequest, "bytes" | "behind">,
  timeoutMs: number,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    let length = 0;
    // Half open: an answer may come after the end of the request.
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
    // It may reset the connection while the request is still being sent.
    for (const event of ["end", "error", "close"]) socket.on(event, () => settle("closed"));
    if (behind === "end") socket.end(bytes);
    else socket.write(bytes);
  });
}

function withoutHeaders(answer: string): string {
  return answer.replace(/\r\n.*?\r\n\r\n/s, ": ");
}

/** The statuses of the answers in what was read; `100 Continue` is none. */
export function statusesIn(text: string): number[] {
  const heads = text.matchAll(/(?:^|\n|\})HTTP\/1\.[01] (\d{3})/g);
  return [...heads].map(([, status]) => Number(status)).filter((status) => status >= 200);
}
