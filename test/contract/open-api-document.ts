/** Part of a description: a JSON object. */
export type Node = Readonly<Record<string, unknown>>;

/** A description as JSON. */
export type OpenApiDocument = Node;

/** Whether a value is an object but not an array. */
export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
