/** A value of a model's file that another one takes the place of. Plain data. */
export type MetadataOverride = {
  /** In the file, e.g. `llama.context_length`. */
  readonly key: string;
} & (
  | { readonly type: "int" | "float"; readonly value: number }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "str"; readonly value: string }
);
