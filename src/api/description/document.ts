import {
  createDocument,
  type oas31,
  type ZodOpenApiOverride,
  type ZodOpenApiResponsesObject,
} from "zod-openapi";
import type { ApiPart, PathOperations } from "./part.js";
import { securitySchemes } from "./security.js";

/** A whole description. */
export type ApiDocument = oas31.OpenAPIObject;

export interface DocumentParts {
  /** The version of the package. */
  readonly version: string;
  readonly parts: readonly ApiPart[];
  /** Answers that any operation may get. */
  readonly anywhere: ZodOpenApiResponsesObject;
}

/** Inside a version changes only add; another semantics takes another version. */
const API_VERSION = "v1";

const introduction = `One daemon that serves a GGUF language model over HTTP, and a small to-do service beside it.

- **Versions.** Paths below \`/v1\` are version 1. The header \`Accept-Version\` or \`API-Version\` with \`v1\` selects it for the same
  path without the prefix; any other value, or prefix, is 400 \`unsupported_version\`. Changes inside a version only add: expect fields, codes
  and header fields that are not described here, and ignore them.
- **Keys.** Where the server has keys, \`/v1\` wants one, as \`Authorization: Bearer KEY\` or \`x-api-key: KEY\`. A read-only key may
  use GET and HEAD only.
- **Paths.** Repeated slashes count as one, and a slash at the end does not count. \`HEAD\` works where \`GET\` does. An unknown path
  is 404, a wrong method 405 with \`Allow\`.
- **Requests.** A request that takes more than a minute to arrive is answered 408, one that is not HTTP 400, both on the
  connection. Every origin may call every path (CORS).`;

/** The whole interface as an OpenAPI 3.1 document. */
export function createApiDocument({ version, parts, anywhere }: DocumentParts): ApiDocument {
  const paths = parts.flatMap((part) => Object.entries(part.paths));
  return createDocument(
    {
      openapi: "3.1.1",
      info: {
        title: "ggufd HTTP interface",
        description: introduction,
        version,
        "x-api-version": API_VERSION,
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: "/", description: "The server that this description comes from." }],
      tags: parts.flatMap(({ tags }) => tags),
      paths: Object.fromEntries(
        paths.map(([path, operations]) => [path, withAnswers(operations, anywhere)]),
      ),
      components: { securitySchemes },
    },
    {
      override: (context) => {
        leaveAnswersOpen(context);
        leaveFormatsAlone(context);
      },
    },
  );
}

function withAnswers(operations: PathOperations, answers: ZodOpenApiResponsesObject) {
  return Object.fromEntries(
    Object.entries(operations).map(([method, operation]) => [
      method,
      { ...operation, responses: { ...operation.responses, ...answers } },
    ]),
  );
}

/** A version may add fields to its answers: a description that forbids them would be broken by that. */
const leaveAnswersOpen: ZodOpenApiOverride = ({ zodSchema, jsonSchema, io }) => {
  const { def } = zodSchema._zod;
  if (io === "output" && def.type === "object" && def.catchall === undefined) {
    delete jsonSchema.additionalProperties;
  }
};

/** What a format says already need not be said by a page of a pattern. */
const leaveFormatsAlone: ZodOpenApiOverride = ({ jsonSchema }) => {
  if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
};
