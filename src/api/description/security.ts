import type { oas31, ZodOpenApiComponentsObject } from "zod-openapi";

/** How a key is shown; {@link keyIfAsked} says where. */
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

/** One of the server's keys in either form, or none where the server has no keys. */
export const keyIfAsked: oas31.SecurityRequirementObject[] = [{}, { bearer: [] }, { apiKey: [] }];

export const noKey: oas31.SecurityRequirementObject[] = [];
