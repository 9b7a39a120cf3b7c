/** What the text of an answer must be, after any reasoning. Plain data, as the client gave it. */
export type OutputConstraint =
  /** JSON whose value satisfies a schema. */
  | { readonly type: "json-schema"; readonly schema: unknown }
  /** The whole text matches a regular expression. */
  | { readonly type: "regex"; readonly pattern: string }
  /** One of these texts. */
  | { readonly type: "choice"; readonly options: readonly string[] }
  /** A grammar in llama.cpp's notation. */
  | { readonly type: "gbnf"; readonly text: string };

/** A constraint, and the request's field that it comes from, for errors. */
export interface RequestedConstraint {
  readonly constraint: OutputConstraint;
  /** As the client wrote it: `response_format.json_schema.schema`. */
  readonly field: string;
}
