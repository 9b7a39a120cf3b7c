import { z } from "zod";

/** Response headers that several dialects share; each is a component of the document. */

export const requestId = z
  .string()
  .regex(/^[\w.:-]{1,128}$/)
  .meta({
    header: { id: "XRequestId" },
    description:
      "The request's id: the client's own if it is 1 to 128 letters, digits, `_`, `.`, `:` or `-`, otherwise a new one.",
    example: "req_87c77efb-8c96-4b70-bb1c-01c42f67bffe",
  });

export const retryAfter = z
  .string()
  .regex(/^\d{1,2}$/)
  .optional()
  .meta({
    header: { id: "RetryAfter" },
    description: "Seconds after which a retry makes sense. Absent when no retry will help.",
    example: "2",
  });

export const etag = z
  .string()
  .regex(/^"[\x21\x23-\x7e]+"$/)
  .meta({
    header: { id: "ETag" },
    description: "A strong entity tag of the response (RFC 9110, section 8.8.3).",
    example: '"Zm9vYmFy"',
  });

export const cacheControl = z.string().meta({
  header: { id: "CacheControl" },
  description:
    "`no-cache`: a stored copy must be revalidated with `If-None-Match` before it is reused.",
  example: "no-cache",
});

/** Headers of every response of every route. */
export const commonHeaders = { "X-Request-Id": requestId } as const;
