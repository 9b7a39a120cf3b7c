import { STATUS_CODES } from "node:http";
import { z } from "zod";
import type {
  ZodOpenApiMediaTypeObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from "zod-openapi";
import type { GgufdError } from "../../core/errors.js";
import { everyAnswer, retryAfter } from "./headers.js";

/** The media type of all bodies but streams and pages. */
export const JSON_TYPE = "application/json";

/** The id that the examples of errors give their request. */
const exampleRequestId = "req_87c77efb-8c96-4b70-bb1c-01c42f67bffe";

export interface Answer {
  readonly description: string;
  /** Besides those of every answer. */
  readonly headers?: z.ZodRawShape;
  readonly content?: Readonly<Record<string, ZodOpenApiMediaTypeObject>>;
}

/** An answer with the headers that all answers have. */
export function answer({ description, headers, content }: Answer): ZodOpenApiResponseObject {
  return {
    description,
    headers: z.object({ ...everyAnswer, ...headers }),
    ...(content !== undefined && { content }),
  };
}

export interface JsonAnswer<Schema extends z.ZodType> {
  readonly description: string;
  readonly schema: Schema;
  readonly example: z.input<Schema>;
  readonly headers?: z.ZodRawShape;
}

/** An answer with a JSON body. */
export function jsonAnswer<Schema extends z.ZodType>({
  schema,
  example,
  ...rest
}: JsonAnswer<Schema>): ZodOpenApiResponseObject {
  return answer({ ...rest, content: { [JSON_TYPE]: { schema, example } } });
}

/** How a dialect prints errors. */
export interface ErrorForm {
  readonly schema: z.ZodType;
  readonly print: (error: GgufdError, requestId: string) => object;
  /** Besides those of every answer. */
  readonly headers?: z.ZodRawShape;
}

/**
 * The answers for errors, by status: each error stands for its code, and is printed as an example.
 */
export function errorAnswers(
  { schema, print, headers }: ErrorForm,
  errors: readonly GgufdError[],
): ZodOpenApiResponsesObject {
  const statuses = [...new Set(errors.map(({ status }) => status))];
  return Object.fromEntries(
    statuses.map((status) => {
      const group = errors.filter((error) => error.status === status);
      const retries = group.some(({ retryAfterSeconds }) => retryAfterSeconds !== undefined);
      const response = answer({
        description: `${STATUS_CODES[status]}: ${group.map(({ code }) => `\`${code}\``).join(", ")}.`,
        headers: { ...headers, ...(retries && { "Retry-After": retryAfter }) },
        content: {
          [JSON_TYPE]: {
            schema,
            examples: Object.fromEntries(
              group.map((error) => [error.code, { value: print(error, exampleRequestId) }]),
            ),
          },
        },
      });
      return [status, response];
    }),
  );
}
