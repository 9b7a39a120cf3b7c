import { type IncomingHttpHeaders, STATUS_CODES } from "node:http";
import { z } from "zod";
import type {
  ZodOpenApiMediaTypeObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from "zod-openapi";
import type { GgufdError } from "../../core/errors.js";

export const requestId = z
  .string()
  .regex(/^[\w.:-]{1,128}$/)
  .meta({
    header: { id: "XRequestId" },
    description:
      "The request's id: the client's own if it is 1 to 128 letters, digits, `_`, `.`, `:` or `-`, otherwise a new one.",
    example: "req_87c77efb-8c96-4b70-bb1c-01c42f67bffe",
  });

const retryAfter = z
  .string()
  .regex(/^\d{1,7}$/)
  .optional()
  .meta({
    header: { id: "RetryAfter" },
    description: "Seconds to wait before a retry. Absent if a retry cannot succeed.",
    example: "2",
  });

export const etag = z
  .string()
  .regex(/^"[\x21\x23-\x7e]+"$/)
  .meta({
    header: { id: "ETag" },
    description: "Strong entity tag of the response (RFC 9110, section 8.8.3).",
    example: '"Zm9vYmFy"',
  });

export const cacheControl = z.string().meta({
  header: { id: "CacheControl" },
  description:
    "`no-cache`: a stored copy must be revalidated with `If-None-Match` before it is reused.",
  example: "no-cache",
});

/** Headers of every response of every route. */
const commonHeaders = { "X-Request-Id": requestId } as const;

/** Default media type of request and response bodies. */
export const JSON_TYPE = "application/json";

/** Request id in the example errors. */
const exampleRequestId = "req_87c77efb-8c96-4b70-bb1c-01c42f67bffe";

export interface ResponseOptions {
  readonly description: string;
  /** In addition to {@link commonHeaders}. */
  readonly headers?: z.ZodRawShape;
  readonly content?: Readonly<Record<string, ZodOpenApiMediaTypeObject>>;
}

/** Describes a response, including the headers that all responses have. */
export function response({
  description,
  headers,
  content,
}: ResponseOptions): ZodOpenApiResponseObject {
  return {
    description,
    headers: z.object({ ...commonHeaders, ...headers }),
    ...(content !== undefined && { content }),
  };
}

export interface JsonResponseOptions<Schema extends z.ZodType> {
  readonly description: string;
  readonly schema: Schema;
  readonly example: z.input<Schema>;
  readonly headers?: z.ZodRawShape;
}

/** Describes a response with a JSON body. */
export function jsonResponse<Schema extends z.ZodType>({
  schema,
  example,
  ...options
}: JsonResponseOptions<Schema>): ZodOpenApiResponseObject {
  return response({ ...options, content: { [JSON_TYPE]: { schema, example } } });
}

/** Error format of an API. */
export interface ErrorFormat {
  readonly schema: z.ZodType;
  readonly toBody: (error: GgufdError, requestId: string, headers?: IncomingHttpHeaders) => object;
  /** Returns the HTTP status of an error; default: its `status`. */
  readonly statusOf?: (error: GgufdError) => number;
  /** In addition to {@link commonHeaders}. */
  readonly headers?: z.ZodRawShape;
}

/**
 * Describes error responses by status. The errors, one for each code, become the examples.
 */
export function describeErrorResponses(
  { schema, toBody, statusOf = ({ status }) => status, headers }: ErrorFormat,
  errors: readonly GgufdError[],
): ZodOpenApiResponsesObject {
  const statuses = [...new Set(errors.map(statusOf))];
  return Object.fromEntries(
    statuses.map((status) => {
      const group = errors.filter((error) => statusOf(error) === status);
      const isRetryable = group.some(({ retryAfterSeconds }) => retryAfterSeconds !== undefined);
      const errorResponse = response({
        description: `${STATUS_CODES[status] ?? status}: ${group.map(({ code }) => `\`${code}\``).join(", ")}.`,
        headers: { ...headers, ...(isRetryable && { "Retry-After": retryAfter }) },
        content: {
          [JSON_TYPE]: {
            schema,
            examples: Object.fromEntries(
              group.map((error) => [error.code, { value: toBody(error, exampleRequestId) }]),
            ),
          },
        },
      });
      return [status, errorResponse];
    }),
  );
}
