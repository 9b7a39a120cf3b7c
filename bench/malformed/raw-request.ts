/** A kind of malformed request; each is counted separately. */
export type MalformedKind =
  | "truncated"
  | "framing"
  | "line"
  | "huge"
  | "encoding"
  | "json"
  | "idle";

/** What a server has to do with a request. */
export type Duty =
  /** Answer it: it is well-formed as far as HTTP is concerned. */
  | "answer"
  /** Answer it, or close the connection. */
  | "answer or close"
  /** Refuse it, or close the connection: whoever accepts it can be made to see a second request in it. */
  | "refuse or close";

/** The bytes of one connection. */
export interface RawRequest {
  readonly kind: MalformedKind;
  /** What is wrong with it. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly duty: Duty;
  /** Whether the client ends its side of the connection behind the bytes, or waits for what may come. */
  readonly behind: "end" | "wait";
}

/** The head and the body of a request that is well-formed, if the headers are. */
export interface RequestParts {
  readonly method: string;
  readonly path: string;
  /** `HOST:PORT` */
  readonly host: string;
  /** In addition to host, type, length and `connection: close`; those with the same name replace these. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer | string;
}

/** The bytes of a request, one connection for each. */
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
  // Latin-1, so that any byte may be in a header.
  return Buffer.concat([Buffer.from(head.join("\r\n"), "latin1"), content]);
}
