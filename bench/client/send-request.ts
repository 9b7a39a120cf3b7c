import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { formatReason } from "../../src/core/format-reason.js";

/** Time after which a request counts as unanswered. */
const ANSWER_TIMEOUT_MS = 120_000;
/** Maximum number of response bytes that are inspected; error responses are shorter. */
const MAX_READ = 65_536;

/** Server's response to a request. */
export type Answer =
  | {
      readonly kind: "status";
      readonly status: number;
      /** Error code; absent in other answers. */
      readonly code: string | undefined;
      /** Id of the created object; absent in other answers. */
      readonly id?: string | undefined;
    }
  /** The connection was reset, or no response arrived in time. */
  | { readonly kind: "none"; readonly reason: string };

/** Request to be sent. */
export interface SentRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON body; `undefined`: none. */
  readonly body: Uint8Array | undefined;
}

/** Sends a request over a new connection and reads the whole answer. Never rejects. */
export function sendRequest(url: URL, { method, headers, body }: SentRequest): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve({ kind: "none", reason: formatReason(error) });
    const outgoing = request(url, {
      method,
      headers: { ...headersOf(body), ...headers },
      agent: false,
    });
    outgoing.on("error", fail).on("response", (response) => {
      const { statusCode: status = 0 } = response;
      text(response).then(
        (content) => resolve({ kind: "status", status, ...findingsIn(content) }),
        fail,
      );
    });
    outgoing.setTimeout(ANSWER_TIMEOUT_MS, () =>
      outgoing.destroy(new Error(`no answer for ${ANSWER_TIMEOUT_MS / 1000} s`)),
    );
    outgoing.end(body);
  });
}

/** Content headers for a body. */
export function headersOf(body: Uint8Array | undefined): Record<string, string> {
  if (body === undefined) return {};
  return { "content-type": "application/json", "content-length": String(body.length) };
}

/**
 * Reads the code of OpenAI's error envelope, `{"error":{"code":…}}`, and the id of a created
 * object, `{"id":…}`.
 */
function findingsIn(content: string): { code: string | undefined; id: string | undefined } {
  const id = /^\{"id":"([^"]+)"/.exec(content.slice(0, MAX_READ))?.[1];
  return { code: content.length > MAX_READ ? undefined : codeIn(content), id };
}

function codeIn(content: string): string | undefined {
  try {
    const { error } = JSON.parse(content) as { readonly error?: { readonly code?: unknown } };
    return typeof error?.code === "string" ? error.code : undefined;
  } catch {
    return undefined;
  }
}

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
