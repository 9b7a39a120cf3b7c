/** Constraint on the text of an answer, after any reasoning. Plain data, as the client gave it. */
export type OutputConstraint =
  /** JSON whose value satisfies a schema. */
  | { readonly type: "json-schema"; readonly schema: unknown }
  /** The whole text matches a regular expression. */
  | { readonly type: "regex"; readonly pattern: string }
  /** The text is one of these options. */
  | { readonly type: "choice"; readonly options: readonly string[] }
  /** Grammar in llama.cpp's notation. */
  | { readonly type: "gbnf"; readonly text: string };

/** Constraint with the request field that it comes from, for errors. */
export interface RequestedConstraint {
  readonly constraint: OutputConstraint;
  /** Field name as the client wrote it: `response_format.json_schema.schema`. */
  readonly field: string;
}
