/** API keys by permission. */
export interface ApiKeys {
  /** Allowed to send every request. */
  readonly full: readonly string[];
  /** Allowed to read only: GET and HEAD. */
  readonly readOnly: readonly string[];
}
