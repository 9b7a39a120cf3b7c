import { refusalOf } from "../../core/errors.js";
import type { EmbeddingDescription } from "../../core/pooling.js";

/** Above the vectors of any model. */
export const MAX_DIMENSIONS = 65_536;

/**
 * The length of the vectors that a client asks for, which is at most the model's.
 * @param asked by the field `dimensions`; `undefined`: the model's
 * @throws {GgufdError} `invalid_request`
 */
export function dimensionsOf(
  { dimensions: most }: Pick<EmbeddingDescription, "dimensions">,
  asked: number | undefined,
): number {
  if (asked === undefined || asked <= most) return asked ?? most;
  const reason = `expected an integer from 1 to ${most}, which this model's vectors have, got ${asked}`;
  throw refusalOf("invalid_request", [{ field: "dimensions", reason }]);
}
