import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type SeenRequest, sendStatus } from "./stand-in.js";

/** Fault of an answer with a file. */
export type Fault =
  /** The connection breaks after this many bytes of the answer, once `when` has settled. */
  | {
      readonly kind: "breaks";
      readonly afterBytes: number;
      /** @param offset of the first unsent byte of the file */
      readonly when?: (offset: number) => Promise<unknown>;
    }
  /** Nothing arrives after this many bytes, and the connection stays open. */
  | { readonly kind: "stalls"; readonly afterBytes: number }
  | { readonly kind: "no-headers" }
  | { readonly kind: "status"; readonly status: number; readonly headers?: Record<string, string> }
  /** Like a server without range support. */
  | { readonly kind: "ignores-range" }
  /** Starts at another byte than requested. */
  | { readonly kind: "other-range" }
  /** The same length, but different bytes. */
  | { readonly kind: "wrong-bytes" }
  | {
      readonly kind: "body";
      readonly body: string;
      readonly headers?: Record<string, string>;
      /** Without a length: the end of the connection is that of the body. */
      readonly isEndless?: boolean;
    }
  | { readonly kind: "redirect"; readonly to: string };

export interface FileAnswer {
  readonly content: Buffer;
  /** `undefined`: none is sent. */
  readonly etag: string | undefined;
  readonly fault: Fault | undefined;
}

export const sha256Of = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex");

/** Content that begins as a GGUF file does. */
export function ggufOf(sizeBytes: number, seed = 1): Buffer {
  const content = Buffer.alloc(sizeBytes);
  for (let index = 0; index < sizeBytes; index += 1) content[index] = (index * 31 + seed * 7) % 251;
  content.write("GGUF", 0, "latin1");
  return content;
}

/** Answers a request for a file with ranges, as RFC 9110 has them, or as a fault has it. */
export function answerWithFile(
  { headers }: SeenRequest,
  response: ServerResponse,
  { content, etag, fault }: FileAnswer,
): unknown {
  if (fault?.kind === "no-headers") return;
  if (fault?.kind === "status") return sendStatus(response, fault.status, fault.headers);
  if (fault?.kind === "redirect") return sendStatus(response, 302, { location: fault.to });
  if (fault?.kind === "body") {
    if (fault.isEndless) response.removeHeader("transfer-encoding");
    response.writeHead(200, fault.headers);
    response.end(fault.body);
    return;
  }
  const total = content.length;
  const asked = /^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1];
  const isSame = headers["if-range"] === undefined || headers["if-range"] === etag;
  const isPart = asked !== undefined && isSame && fault?.kind !== "ignores-range";
  const start = isPart ? Math.max(0, Number(asked) - (fault?.kind === "other-range" ? 1 : 0)) : 0;
  if (start >= total) return sendStatus(response, 416, { "content-range": `bytes */${total}` });
  const sent = fault?.kind === "wrong-bytes" ? content.map((byte) => byte ^ 1) : content;
  response.writeHead(isPart ? 206 : 200, {
    "content-length": total - start,
    ...(etag !== undefined && { etag }),
    ...(isPart && { "content-range": `bytes ${start}-${total - 1}/${total}` }),
  });
  sendBody(response, sent, start, fault);
}

function sendBody(
  response: ServerResponse,
  content: Uint8Array,
  start: number,
  fault: Fault | undefined,
): unknown {
  if (fault?.kind !== "breaks" && fault?.kind !== "stalls") {
    return response.end(content.subarray(start));
  }
  const end = start + fault.afterBytes;
  response.flushHeaders();
  return response.write(content.subarray(start, end), async () => {
    if (fault.kind === "stalls") return;
    await fault.when?.(end);
    response.destroy();
  });
}
