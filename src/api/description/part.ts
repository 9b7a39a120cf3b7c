import type { oas31, ZodOpenApiOperationObject } from "zod-openapi";

/** The described methods. HEAD is implied by GET; OPTIONS is handled on every path. */
export const methods = ["get", "post", "put", "patch", "delete"] as const;

/** The operations of one path. */
export type PathOperations = Partial<Record<(typeof methods)[number], ZodOpenApiOperationObject>>;

/** The description of one dialect: its operations by path, and their tags. */
export interface ApiPart {
  /** In display order. */
  readonly tags: readonly oas31.TagObject[];
  readonly paths: Readonly<Record<string, PathOperations>>;
}
