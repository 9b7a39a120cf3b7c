import type { IncomingHttpHeaders } from "node:http";

/** Range of a file that the body of an answer contains. */
export interface AnswerRange {
  readonly startBytes: number;
  /** Size of the whole file; `undefined`: unknown. */
  readonly totalBytes: number | undefined;
}

/**
 * Parses the range of an answer with status 200, 206 or 416. For 416, only the total is meaningful.
 * @returns `undefined` if the headers are missing or contradictory
 */
export function parseRange(status: number, headers: IncomingHttpHeaders): AnswerRange | undefined {
  const length = numberOf(headers["content-length"]);
  if (status === 200) return { startBytes: 0, totalBytes: length };
  const range =
    /^bytes (?:(?<start>\d{1,15})-(?<end>\d{1,15})|\*)\/(?:(?<total>\d{1,15})|\*)$/.exec(
      headers["content-range"] ?? "",
    )?.groups;
  if (range === undefined) return undefined;
  const totalBytes = numberOf(range.total);
  if (status === 416) return { startBytes: 0, totalBytes };
  const [startBytes, endBytes] = [numberOf(range.start), numberOf(range.end)];
  if (startBytes === undefined || endBytes === undefined || endBytes < startBytes) return undefined;
  const reachesEnd = totalBytes === undefined || endBytes + 1 === totalBytes;
  const hasStatedLength = length === undefined || length === endBytes + 1 - startBytes;
  return reachesEnd && hasStatedLength ? { startBytes, totalBytes: endBytes + 1 } : undefined;
}

/**
 * Whether the end of a body can be distinguished from a broken connection: by a length, or by
 * chunks.
 */
export function hasDefiniteEnd(headers: IncomingHttpHeaders): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] === "chunked";
}

/** Returns the strong entity tag of an answer, which identifies its bytes. */
export function strongTagOf({ etag }: IncomingHttpHeaders): string | undefined {
  return etag !== undefined && /^"[\x21\x23-\x7e]{1,500}"$/.test(etag) ? etag : undefined;
}

/**
 * Returns the SHA-256 of a file in hexadecimal digits, if a server states it: the hub in
 * `X-Linked-ETag` of the redirect to its storage, others in `Repr-Digest` (RFC 9530).
 * @param trail headers of all answers on the way to the file
 */
export function parseDigest(trail: readonly IncomingHttpHeaders[]): string | undefined {
  const linkedTagMatches = trail.map((headers) =>
    /^"?([\da-f]{64})"?$/.exec(textOf(headers["x-linked-etag"])),
  );
  const digestMatches = trail.map((headers) =>
    /(?:^|[\s,])sha-256=:([\w+/]{43}=):/.exec(textOf(headers["repr-digest"])),
  );
  const hexadecimal = linkedTagMatches.find((match) => match !== null)?.[1];
  const base64 = digestMatches.find((match) => match !== null)?.[1];
  return hexadecimal ?? (base64 && Buffer.from(base64, "base64").toString("hex"));
}

function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === "string" ? header : "";
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
