/** Part of a description: an object of JSON. */
export type Node = Readonly<Record<string, unknown>>;

/** A description as JSON. */
export type OpenApiDocument = Node;

/** Whether a value is an object and no list. */
export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
