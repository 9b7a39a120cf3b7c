import { refusalOf } from "../../../core/errors.js";

/**
 * Rejects token ids that are none of the vocabulary's.
 * @param fieldOf the request's field of the token at a position
 * @throws {GgufdError} `invalid_request` for the first of them
 */
export function rejectUnknownTokens(
  tokens: Iterable<number>,
  vocabularySize: number,
  fieldOf: (index: number) => string,
): void {
  let index = 0;
  for (const token of tokens) {
    if (token >= vocabularySize) {
      const reason = `expected a token id from 0 to ${vocabularySize - 1}, got ${token}`;
      throw refusalOf("invalid_request", [{ field: fieldOf(index), reason }]);
    }
    index++;
  }
}
