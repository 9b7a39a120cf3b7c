import { refusalOf } from "../../../core/errors.js";
import type { PooledInput } from "../../../core/pooling.js";
import type { ScoreRequest } from "./schema.js";

/** A text of a request, with its field. */
export interface FieldText {
  readonly text: string;
  readonly field: string;
}

/** The texts that are compared. */
export interface Texts {
  /** One, or one for each of the others. */
  readonly first: readonly FieldText[];
  readonly second: readonly FieldText[];
}

/**
 * Takes a request's texts.
 * @throws {GgufdError} `invalid_request` if their numbers do not match
 */
export function textsOf(body: ScoreRequest): Texts {
  const first = withFields(body.text_1, "text_1");
  const second = withFields(body.text_2, "text_2");
  if (first.length !== 1 && first.length !== second.length) {
    const expected = second.length === 1 ? "1 text" : `1 text or ${second.length} texts`;
    const reason = `expected ${expected}, as text_2 has ${second.length}, got ${first.length}`;
    throw refusalOf("invalid_request", [{ field: "text_1", reason }]);
  }
  return { first, second };
}

function withFields(texts: string | readonly string[], field: string): readonly FieldText[] {
  if (typeof texts === "string") return [{ text: texts, field }];
  return texts.map((text, index) => ({ text, field: `${field}.${index}` }));
}

/** Pairs for a model that reads both texts at once. */
export function toPairInputs({ first, second }: Texts): readonly PooledInput[] {
  return second.map(({ text: document, field }, index) => ({
    content: { type: "pair", query: (first[index] ?? first[0])?.text ?? "", document },
    field,
  }));
}

/** Every text once, those of the first list in front. */
export function toTextInputs({ first, second }: Texts): readonly PooledInput[] {
  return [...first, ...second].map(({ text, field }) => ({
    content: { type: "text", text },
    field,
  }));
}
