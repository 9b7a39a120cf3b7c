/** Forms with a file: as many parts as fit, and a file in which every line may be a boundary. */
import type { BodyBuilder } from "./stalls-body.js";
import type { WorstRequests } from "./stalls-request.js";

const PATHS = ["/v1/audio/transcriptions", "/v1/audio/translations"];

const headers = { "content-type": "multipart/form-data; boundary=b" };
const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`;
const END = "\r\n--b--\r\n";

const bodies: Readonly<Record<string, BodyBuilder>> = {
  "most parts": ({ bytes }) => repeated("--b\r\n\r\n\r\n", bytes),
  // `--max-media-file` is five times as large as a body without media.
  "a file of 20 MB": ({ bytes }) =>
    `${part('file"; filename="a')}${repeated("a", 5 * bytes - 1000)}${END}`,
  "a file of beginnings of boundaries": ({ bytes }) =>
    `${part('file"; filename="a')}${repeated("\r\n--", bytes - 100)}${END}`,
};

function repeated(text: string, bytes: number): string {
  return text.repeat(Math.floor(bytes / text.length));
}

export const formRequests: WorstRequests = Object.fromEntries(
  PATHS.flatMap((path) =>
    Object.entries(bodies).map(([name, body]) => [
      `${path}: ${name}`,
      { method: "POST", path, headers, body } as const,
    ]),
  ),
);
