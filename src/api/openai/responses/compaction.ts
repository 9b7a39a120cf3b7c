import { GgufdError } from "../../../core/errors.js";

/** Where OpenAI compacts conversations. */
export const COMPACT_PATH = "/v1/responses/compact";

/** Why that is refused: a summary by this server's model would silently replace what was said. */
export function noCompaction(): GgufdError {
  return new GgufdError(
    "unsupported_operation",
    `POST ${COMPACT_PATH}: this server compacts no conversations; send the items that are to be kept as input.`,
  );
}
