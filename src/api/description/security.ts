import type { oas31, ZodOpenApiComponentsObject } from "zod-openapi";

/** How a client sends an API key; {@link optionalApiKey} is the requirement. */
export const securitySchemes = {
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

/** An API key in either form; required only where the server has keys. */
export const optionalApiKey: oas31.SecurityRequirementObject[] = [
  {},
  { bearer: [] },
  { apiKey: [] },
];

export const noApiKey: oas31.SecurityRequirementObject[] = [];
