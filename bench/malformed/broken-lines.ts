import type { Random } from "../../models/random/random-choices.js";
import type { RawRequest } from "./raw-request.js";

/** Start of a TLS handshake. */
const TLS_HELLO = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";

/** Invalid request lines and header lines. */
const lines: Readonly<Record<string, (host: string) => string>> = {
  "no method": (host) => ` / HTTP/1.1\r\nhost: ${host}\r\n\r\n`,
  "an unknown method": (host) => `BREW / HTTP/1.1\r\nhost: ${host}\r\n\r\n`,
  "a method in lower case": (host) => `get / HTTP/1.1\r\nhost: ${host}\r\n\r\n`,
  "a method of a kilobyte": (host) => `${"A".repeat(1024)} / HTTP/1.1\r\nhost: ${host}\r\n\r\n`,
  "HTTP 0.9": () => "GET /\r\n\r\n",
  "HTTP 2": () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "HTTP 3.1": (host) => `GET / HTTP/3.1\r\nhost: ${host}\r\n\r\n`,
  "a version without a number": (host) => `GET / HTTP/\r\nhost: ${host}\r\n\r\n`,
  "bare line feeds": (host) => `GET / HTTP/1.1\nhost: ${host}\nconnection: close\n\n`,
  "no host": () => "GET / HTTP/1.1\r\nconnection: close\r\n\r\n",
  "two hosts": (host) =>
    `GET / HTTP/1.1\r\nhost: ${host}\r\nhost: evil\r\nconnection: close\r\n\r\n`,
  "a host that is none": () => "GET / HTTP/1.1\r\nhost: a b/c@d:99999\r\nconnection: close\r\n\r\n",
  "a path with spaces": (host) => `GET /a b c HTTP/1.1\r\nhost: ${host}\r\n\r\n`,
  "a path without a slash": (host) => `GET health HTTP/1.1\r\nhost: ${host}\r\n\r\n`,
  "a path out of the root": (host) =>
    `GET /../../../etc/passwd HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
  "a path that cannot be decoded": (host) =>
    `GET /v1/models/%ff%zz% HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
  "an encoded NUL": (host) =>
    `GET /v1/models/%00 HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
  "bytes that are no UTF-8 in a path": (host) =>
    `GET /v1/models/\xff\xfe HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
  "a whole URL": (host) =>
    `GET http://evil/v1/models HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
  "a URL that is none": (host) =>
    `GET http://[::1 HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
  "two slashes": (host) =>
    `GET //evil/..//v1//models HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
  CONNECT: (host) => `CONNECT evil:443 HTTP/1.1\r\nhost: ${host}\r\n\r\n`,
  TRACE: (host) => `TRACE / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
  "OPTIONS of everything": (host) =>
    `OPTIONS * HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
  "an upgrade": (host) =>
    `GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
  "an unknown expectation": (host) =>
    `POST /api/todos HTTP/1.1\r\nhost: ${host}\r\nexpect: 200-maybe\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`,
  "a header without a colon": (host) => `GET / HTTP/1.1\r\nhost: ${host}\r\nnonsense\r\n\r\n`,
  "a header without a name": (host) => `GET / HTTP/1.1\r\nhost: ${host}\r\n: a\r\n\r\n`,
  "a header's name with a space": (host) => `GET / HTTP/1.1\r\nhost: ${host}\r\na b: c\r\n\r\n`,
  "a header's name that is no ASCII": (host) =>
    `GET / HTTP/1.1\r\nhost: ${host}\r\n\xe9: c\r\n\r\n`,
  "a line behind the end": (host) =>
    `GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\nrubbish`,
  "a TLS handshake": () => TLS_HELLO,
  "empty lines": () => "\r\n\r\n\r\n\r\n",
  nothing: () => "",
};

/** Builds a request of invalid lines or random bytes. */
export function brokenLines(host: string, random: Random): RawRequest {
  const form = { kind: "line", duty: "answer or close", behind: "end" } as const;
  if (random.chance(0.1)) {
    const bytes = Buffer.from(
      Array.from({ length: random.int(1, 4096) }, () => random.int(0, 255)),
    );
    return { ...form, name: "random bytes", bytes };
  }
  const [name, lineFor] = random.pick(Object.entries(lines));
  return { ...form, name, bytes: Buffer.from(lineFor(host), "latin1") };
}
