/** Metadata value that replaces the one in a model file. Plain data. */
export type MetadataOverride = {
  /** Metadata key in the file, e.g. `llama.context_length`. */
  readonly key: string;
} & (
  | { readonly type: "int" | "float"; readonly value: number }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "str"; readonly value: string }
);
