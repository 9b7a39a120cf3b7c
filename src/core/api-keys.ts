/** Keys by what they are good for. */
export interface ApiKeys {
  /** Good for everything. */
  readonly full: readonly string[];
  /** Good for reading: GET and HEAD. */
  readonly readOnly: readonly string[];
}
