import { gzipSync } from "node:zlib";
import type { Random } from "../../models/random/random-choices.js";
import { type RawRequest, requestBytes } from "./raw-request.js";
import type { ValidRequest } from "./valid-bodies.js";

interface Encoded {
  readonly body: Buffer;
  readonly headers?: readonly (readonly [string, string])[];
}

const hex = (digits: string) => Buffer.from(digits, "hex");
/**
 * Invalid UTF-8 within a text: a byte that starts no character, a surrogate, an overlong NUL, half
 * a character, Latin-1.
 */
const NO_UTF8 = ["ff", "eda080", "c080", "f09f98", "e9", "f4908080", "fe"].map(hex);

/** Encodings that are invalid for a JSON body. */
const encodings: Readonly<Record<string, (json: string, random: Random) => Encoded>> = {
  "no UTF-8": (json, random) => {
    const at = random.int(0, json.length);
    const [before, behind] = [json.slice(0, at), json.slice(at)];
    return {
      body: Buffer.concat([Buffer.from(before), random.pick(NO_UTF8), Buffer.from(behind)]),
    };
  },
  "a byte order mark": (json) => ({ body: Buffer.concat([hex("efbbbf"), Buffer.from(json)]) }),
  "UTF-16": (json) => ({ body: Buffer.concat([hex("fffe"), Buffer.from(json, "utf16le")]) }),
  "UTF-16 without a mark": (json) => ({ body: Buffer.from(json, "utf16le") }),
  "another charset": (json) => ({
    body: Buffer.from(json, "latin1"),
    headers: [["content-type", "application/json; charset=iso-8859-1"]],
  }),
  gzip: (json) => ({ body: gzipSync(json), headers: [["content-encoding", "gzip"]] }),
  "gzip that is none": (json) => ({
    body: Buffer.from(json),
    headers: [["content-encoding", "gzip"]],
  }),
  "an unknown content encoding": (json) => ({
    body: Buffer.from(json),
    headers: [["content-encoding", "x-rot13, br"]],
  }),
  "a form": (json) => ({
    body: Buffer.from(`body=${encodeURIComponent(json)}`),
    headers: [["content-type", "application/x-www-form-urlencoded"]],
  }),
  "a multipart form without its end": (json) => ({
    body: Buffer.from(`--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n${json}`),
    headers: [["content-type", "multipart/form-data; boundary=b"]],
  }),
  "a type that is none": (json) => ({
    body: Buffer.from(json),
    headers: [["content-type", ";;=\xff/"]],
  }),
  "a NUL behind it": (json) => ({ body: Buffer.from(`${json}\0`) }),
  "two texts of JSON": (json) => ({ body: Buffer.from(`${json}\n${json}`) }),
  "random bytes": (json, random) => ({
    body: Buffer.from(Array.from({ length: json.length }, () => random.int(0, 255))),
  }),
  "a lone surrogate in each text": (json) => ({
    body: Buffer.from(json.replaceAll(/":"/g, '":"\\ud83d')),
  }),
  "no body": () => ({ body: Buffer.alloc(0) }),
};

/** Builds a request whose body is not JSON in UTF-8, but is otherwise well-formed HTTP. */
export function wronglyEncoded(
  { method, path, body }: ValidRequest,
  host: string,
  random: Random,
): RawRequest {
  const [name, encode] = random.pick(Object.entries(encodings));
  const bytes = requestBytes({ method, path, host, ...encode(JSON.stringify(body), random) });
  return { kind: "encoding", name, bytes, duty: "answer", behind: "wait" };
}
