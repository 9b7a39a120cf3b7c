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

const introduction = `A daemon that serves GGUF language models over HTTP, with a small to-do service.

- **Versions.** Paths below \`/v1\` are version 1. The header \`Accept-Version: v1\` or \`API-Version: v1\` selects it on the same path without
  the prefix. Any other version is answered 400 \`unsupported_version\`. Within a version, changes are additive: ignore fields, codes and
  header fields that are not described here.
- **Keys.** If the server has keys, \`/v1\` requires one, as \`Authorization: Bearer KEY\` or \`x-api-key: KEY\`. A read-only key permits
  GET and HEAD only.
- **Paths.** Repeated and trailing slashes are ignored. \`HEAD\` works wherever \`GET\` does. An unknown path is answered 404, a wrong
  method 405 with \`Allow\`.
- **Requests.** A request that takes longer than a minute to arrive is answered 408, and invalid HTTP 400. By default CORS allows
  every origin on every path. If the server lists allowed origins, pages of other origins are answered 403, except on
  \`/api/todos\`. A server on a loopback address answers requests for other hosts 403.`;

/** Creates the OpenAPI 3.1 document of the complete API. */
export function createApiDocument({ version, parts, commonResponses }: DocumentParts): ApiDocument {
  const paths = parts.flatMap((part) => Object.entries(part.paths));
  const names = new Set(paths.map(([path]) => path));
  assert.equal(names.size, paths.length, "each path must be described by one part");
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
      servers: [{ url: "/", description: "The server that sent this description." }],
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
    description: "`Authorization: Bearer KEY`. Required if the server has keys.",
  },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "`x-api-key: KEY`. Required if the server has keys.",
  },
} as const satisfies ZodOpenApiComponentsObject["securitySchemes"];

/** API key in either form, required only if the server has keys. */
export const optionalApiKey: oas31.SecurityRequirementObject[] = [
  {},
  { bearer: [] },
  { apiKey: [] },
];

export const noApiKey: oas31.SecurityRequirementObject[] = [];
