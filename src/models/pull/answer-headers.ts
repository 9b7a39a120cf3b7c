import type { IncomingHttpHeaders } from "node:http";

/** What an answer says of the range that its body is. */
export interface AnswerRange {
  readonly startBytes: number;
  /** Of the whole file; `undefined`: it does not say. */
  readonly totalBytes: number | undefined;
}

/**
 * The range of an answer with status 200, 206 or 416. Of the last, only the total means anything.
 * @returns `undefined`: it contradicts itself, or does not say
 */
export function rangeOf(status: number, headers: IncomingHttpHeaders): AnswerRange | undefined {
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
  const isWhole = totalBytes === undefined || endBytes + 1 === totalBytes;
  const isLong = length === undefined || length === endBytes + 1 - startBytes;
  return isWhole && isLong ? { startBytes, totalBytes: endBytes + 1 } : undefined;
}

/** Whether the end of a body is recognised when the connection ends: by a length, or by chunks. */
export function hasDefiniteEnd(headers: IncomingHttpHeaders): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] === "chunked";
}

/** The entity tag of an answer, if two answers that have it are the same byte by byte. */
export function strongTagOf({ etag }: IncomingHttpHeaders): string | undefined {
  return etag !== undefined && /^"[\x21\x23-\x7e]{1,500}"$/.test(etag) ? etag : undefined;
}

/**
 * The SHA-256 of a file in hexadecimal digits, where a server tells it: the hub in `X-Linked-ETag` of the redirect to
 * its storage, others in `Repr-Digest` (RFC 9530).
 * @param trail headers of all answers that have led to the file
 */
export function digestOf(trail: readonly IncomingHttpHeaders[]): string | undefined {
  const linked = trail.map((headers) =>
    /^"?([\da-f]{64})"?$/.exec(textOf(headers["x-linked-etag"])),
  );
  const represented = trail.map((headers) =>
    /(?:^|[\s,])sha-256=:([\w+/]{43}=):/.exec(textOf(headers["repr-digest"])),
  );
  const hexadecimal = linked.find((match) => match !== null)?.[1];
  const base64 = represented.find((match) => match !== null)?.[1];
  return hexadecimal ?? (base64 && Buffer.from(base64, "base64").toString("hex"));
}

function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === "string" ? header : "";
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
