/** Kind of malformed request; kinds are counted separately. */
export type MalformedKind =
  | "truncated"
  | "framing"
  | "line"
  | "huge"
  | "encoding"
  | "json"
  | "idle";

/** Required reaction of the server to a request. */
export type Duty =
  /** Answer it: it is well-formed HTTP. */
  | "answer"
  /** Answer it, or close the connection. */
  | "answer or close"
  /**
   * Refuse it, or close the connection: a server that accepts it may see a second request in it.
   */
  | "refuse or close";

/** Bytes of one connection. */
export interface RawRequest {
  readonly kind: MalformedKind;
  /** Description of the fault. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly duty: Duty;
  /**
   * Whether the client ends its side of the connection after the bytes, or waits for a response.
   */
  readonly behind: "end" | "wait";
}

/** Head and body of a request, which is well-formed if its headers are. */
export interface RequestParts {
  readonly method: string;
  readonly path: string;
  /** `HOST:PORT` */
  readonly host: string;
  /**
   * Headers added to host, type, length and `connection: close`; headers of the same name replace
   * these.
   */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer | string;
}

/** Serialises a request, which takes one connection. */
export function requestBytes({
  method,
  path,
  host,
  headers = [],
  body = "",
}: RequestParts): Buffer {
  const content = Buffer.from(body);
  const given = new Set(headers.map(([name]) => name.trim().toLowerCase()));
  const own: readonly (readonly [string, string])[] = [
    ["host", host],
    ["connection", "close"],
    ["content-type", "application/json"],
    ["content-length", String(content.length)],
  ];
  const lines = [...own.filter(([name]) => !given.has(name)), ...headers];
  const head = [
    `${method} ${path} HTTP/1.1`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ];
  // Latin-1, so that headers may contain any byte.
  return Buffer.concat([Buffer.from(head.join("\r\n"), "latin1"), content]);
}
