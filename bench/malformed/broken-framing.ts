import type { Random } from "../../models/random/random-choices.js";
import { type RawRequest, requestBytes } from "./raw-request.js";
import type { ValidRequest } from "./valid-bodies.js";

const SECOND = "GET /v1/models HTTP/1.1\r\nhost: other\r\n\r\n";

type Headers = readonly (readonly [string, string])[];

/**
 * Headers that two HTTP parsers may interpret differently, so that one of them sees a second
 * request.
 */
const ambiguous: Readonly<Record<string, (length: number) => Headers>> = {
  "length and chunked": (length) => [
    ["content-length", String(length)],
    ["transfer-encoding", "chunked"],
  ],
  "chunked and length 0": () => [
    ["transfer-encoding", "chunked"],
    ["content-length", "0"],
  ],
  "two lengths": (length) => [
    ["content-length", String(length)],
    ["content-length", String(length + 7)],
  ],
  "a list of lengths": (length) => [["content-length", `${length}, ${length + 1}`]],
  "a negative length": () => [["content-length", "-1"]],
  "a length with a sign": (length) => [["content-length", `+${length}`]],
  "a hexadecimal length": (length) => [["content-length", `0x${length.toString(16)}`]],
  "a length beyond 64 bits": () => [["content-length", "99999999999999999999999"]],
  "an unknown encoding": (length) => [
    ["transfer-encoding", "xchunked"],
    ["content-length", String(length)],
  ],
  "chunked, but not last": () => [["transfer-encoding", "chunked, identity"]],
  "chunked behind a tab": (length) => [
    ["transfer-encoding", "\tchunked"],
    ["content-length", String(length)],
  ],
  "a space before the colon": (length) => [["content-length ", String(length)]],
};

/** Headers that RFC 9112 allows a server either to refuse or to read as spaces. */
const tolerable: Readonly<Record<string, Headers>> = {
  "a folded line": [["x-a", "b\r\n transfer-encoding: chunked"]],
  "a carriage return in a value": [["x-a", "b\rtransfer-encoding: chunked"]],
  "a NUL in a value": [["x-a", "b\0c"]],
};

/** Invalid chunks. */
const badChunks: Readonly<Record<string, string>> = {
  "a chunk of no hexadecimal size": "zz\r\n{}\r\n0\r\n\r\n",
  "a chunk of a negative size": "-2\r\n{}\r\n0\r\n\r\n",
  "a chunk of 2^64 bytes": "10000000000000000\r\n{}\r\n0\r\n\r\n",
  "a chunk that is longer than its size": "1\r\n{}\r\n0\r\n\r\n",
  "a chunk ended by a bare line feed": "2\n{}\n0\n\n",
  "a chunk with a huge extension": `2;${"a".repeat(100_000)}\r\n{}\r\n0\r\n\r\n`,
  "huge trailers": `2\r\n{}\r\n0\r\nx: ${"a".repeat(100_000)}\r\n\r\n`,
};

/** Builds a request with an ambiguous or wrong length. */
export function brokenFraming(valid: ValidRequest, host: string, random: Random): RawRequest {
  const make = random.weighted<() => RawRequest>([
    [6, () => ambiguousLength(valid, host, random)],
    [3, () => brokenChunks(valid, host, random)],
    [1, () => tolerableHeader(valid, host, random)],
  ]);
  return make();
}

function ambiguousLength(
  { method, path, body }: ValidRequest,
  host: string,
  random: Random,
): RawRequest {
  const content = JSON.stringify(body);
  const [name, headersFor] = random.pick(Object.entries(ambiguous));
  const headers = headersFor(Buffer.byteLength(content));
  const isChunked = headers.some(([, value]) => value.includes("chunked"));
  const inner = isChunked && random.chance(0.5) ? `0\r\n\r\n${SECOND}` : `${content}${SECOND}`;
  const bytes = requestBytes({ method, path, host, headers, body: inner });
  return { kind: "framing", name, bytes, duty: "refuse or close", behind: "wait" };
}

function brokenChunks({ method, path }: ValidRequest, host: string, random: Random): RawRequest {
  const [name, chunks] = random.pick(Object.entries(badChunks));
  const headers: Headers = [["transfer-encoding", "chunked"]];
  const head = withoutLength(requestBytes({ method, path, host, headers }));
  const bytes = Buffer.concat([head, Buffer.from(chunks, "latin1")]);
  return { kind: "framing", name, bytes, duty: "answer or close", behind: "end" };
}

function tolerableHeader(
  { method, path, body }: ValidRequest,
  host: string,
  random: Random,
): RawRequest {
  const [name, headers] = random.pick(Object.entries(tolerable));
  const bytes = requestBytes({ method, path, host, headers, body: JSON.stringify(body) });
  return { kind: "framing", name, bytes, duty: "answer or close", behind: "wait" };
}

function withoutLength(head: Buffer): Buffer {
  return Buffer.from(head.toString("latin1").replace(/content-length: \d+\r\n/, ""), "latin1");
}
