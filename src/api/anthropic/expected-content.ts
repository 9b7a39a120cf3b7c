import { isJsonObject } from "../../core/json-object.js";

/** Why blocks of some types cannot be read. */
const REASONS: ReadonlyMap<unknown, string> = new Map([
  ["image", "this model has no vision"],
  ["document", "this model reads no documents"],
  ["search_result", "this model reads no search results"],
  ["container_upload", "this server has no containers"],
]);

/**
 * What is said of a content block that is refused.
 * @param types of the blocks that are read in its place
 * @param block as the client sent it
 */
export function expectedContent(types: readonly string[], block: unknown): string {
  if (!isJsonObject(block)) return "expected a content block";
  const expected = `expected ${types.length === 1 ? "" : "one of "}${types.join(", ")}`;
  const reason = REASONS.get(block.type);
  return reason === undefined ? expected : `${expected}, because ${reason}`;
}
