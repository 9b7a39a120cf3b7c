import type { oas31, ZodOpenApiOperationObject } from "zod-openapi";

/** The methods that are described; HEAD follows from GET, OPTIONS answers on every path. */
export const methods = ["get", "post", "put", "patch", "delete"] as const;

/** The operations of one path. */
export type PathOperations = Partial<Record<(typeof methods)[number], ZodOpenApiOperationObject>>;

/** What one dialect tells of itself: its operations by path, and the groups that they stand in. */
export interface ApiPart {
  /** Groups in the order in which a reader meets them. */
  readonly tags: readonly oas31.TagObject[];
  readonly paths: Readonly<Record<string, PathOperations>>;
}
