import { connect } from "node:net";
import { ANSWER_TIMEOUT_MS, type Answer, headersOf, type SentRequest } from "./send-request.js";

const STATUS_LINE = /^HTTP\/1\.1 (\d{3})/;
const STATUS_LINE_BYTES = 12;

/**
 * Sends a request many times on one connection, without waiting for responses, and reads until the
 * server closes the connection after the last one. Never rejects.
 * @returns the first answer
 */
export function sendPipelined(url: URL, request: SentRequest, times: number): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect({ host: url.hostname, port: Number(url.port) });
    let first = "";
    const fail = (reason: string) => {
      resolve({ kind: "none", reason });
      socket.destroy();
    };
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => fail(`no answer for ${ANSWER_TIMEOUT_MS / 1000} s`));
    socket.on("error", ({ message }) => fail(message));
    socket.on("data", (part) => {
      if (first.length < STATUS_LINE_BYTES) first += part.toString("latin1", 0, STATUS_LINE_BYTES);
    });
    socket.on("end", () => {
      const status = STATUS_LINE.exec(first)?.[1];
      if (status === undefined) fail("socket hang up");
      else resolve({ kind: "status", status: Number(status), code: undefined });
    });
    const bytesWith = (connection: string) => bytesOf(url, request, connection);
    const repeated = new Array<Buffer>(times - 1).fill(bytesWith("keep-alive"));
    socket.write(Buffer.concat([...repeated, bytesWith("close")]));
  });
}

function bytesOf(url: URL, { method, headers, body }: SentRequest, connection: string): Buffer {
  const all = { host: url.host, connection, ...headersOf(body), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body ?? Buffer.alloc(0)]);
}
