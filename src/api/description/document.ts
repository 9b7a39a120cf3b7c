import assert from "node:assert/strict";
import {
  createDocument,
  type oas31,
  type ZodOpenApiComponentsObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverride,
  type ZodOpenApiResponsesObject,
} from "zod-openapi";

/** Methods that are described. HEAD is implied by GET; OPTIONS is handled on every path. */
type DescribedMethod = "get" | "post" | "put" | "patch" | "delete";

/** Operations of one path. */
export type PathOperations = Partial<Record<DescribedMethod, ZodOpenApiOperationObject>>;

/** Description of one API: its operations by path, and their tags. */
export interface ApiPart {
  /** In display order. */
  readonly tags: readonly oas31.TagObject[];
  readonly paths: Readonly<Record<string, PathOperations>>;
}

/** Complete OpenAPI description. */
export type ApiDocument = oas31.OpenAPIObject;

export interface DocumentParts {
  /** Package version of ggufd. */
  readonly version: string;
  readonly parts: readonly ApiPart[];
  /** Responses that any operation can return. */
  readonly commonResponses: ZodOpenApiResponsesObject;
}

/** Changes within a version are additive only; a change of meaning requires a new version. */
const API_VERSION = "v1";

const introduction = `One daemon that serves a GGUF language model over HTTP, and a small to-do service beside it.

- **Versions.** Paths below \`/v1\` are version 1. The header \`Accept-Version\` or \`API-Version\` with \`v1\` selects it for the same
  path without the prefix; any other value, or prefix, is 400 \`unsupported_version\`. Changes within a version are additive only: expect fields, codes
  and header fields that are not described here, and ignore them.
- **Keys.** Where the server has keys, \`/v1\` requires one, as \`Authorization: Bearer KEY\` or \`x-api-key: KEY\`. A read-only key may
  use GET and HEAD only.
- **Paths.** Repeated slashes count as one, and a slash at the end does not count. \`HEAD\` works where \`GET\` does. An unknown path
  is 404, a wrong method 405 with \`Allow\`.
- **Requests.** A request that takes more than a minute to arrive is answered 408, one that is not HTTP 400, both on the
  connection. By default CORS allows every origin on every path; where the server names origins, pages of others are answered 403, but
  for \`/api/todos\`. A server for its own machine answers requests for other hosts 403.`;

/** Creates the OpenAPI 3.1 document of the complete API. */
export function createApiDocument({ version, parts, commonResponses }: DocumentParts): ApiDocument {
  const paths = parts.flatMap((part) => Object.entries(part.paths));
  const names = new Set(paths.map(([path]) => path));
  assert.equal(names.size, paths.length, "each path is described by one part");
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
        paths.map(([path, operations]) => [path, withResponses(operations, commonResponses)]),
      ),
      components: { securitySchemes },
    },
    {
      override: (context) => {
        allowUnknownResponseFields(context);
        omitDateTimePattern(context);
      },
    },
  );
}

function withResponses(operations: PathOperations, responses: ZodOpenApiResponsesObject) {
  return Object.fromEntries(
    Object.entries(operations).map(([method, operation]) => [
      method,
      { ...operation, responses: { ...operation.responses, ...responses } },
    ]),
  );
}

/** Allows unknown fields in responses, because fields can be added within a version. */
const allowUnknownResponseFields: ZodOpenApiOverride = ({ zodSchema, jsonSchema, io }) => {
  const { def } = zodSchema._zod;
  if (io === "output" && def.type === "object" && def.catchall === undefined) {
    delete jsonSchema.additionalProperties;
  }
};

/** Omits the very long pattern of a date-time, which the format already implies. */
const omitDateTimePattern: ZodOpenApiOverride = ({ jsonSchema }) => {
  if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
};

/** Ways for a client to send an API key; {@link optionalApiKey} is the requirement. */
const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "`Authorization: Bearer KEY`, where the server has keys.",
  },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "`x-api-key: KEY`, where the server has keys.",
  },
} as const satisfies ZodOpenApiComponentsObject["securitySchemes"];

/** API key in either form, required only if the server has keys. */
export const optionalApiKey: oas31.SecurityRequirementObject[] = [
  {},
  { bearer: [] },
  { apiKey: [] },
];

export const noApiKey: oas31.SecurityRequirementObject[] = [];
