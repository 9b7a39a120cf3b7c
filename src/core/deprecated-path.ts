/** Path that will be removed, with everything below it. */
export interface DeprecatedPath {
  readonly path: string;
  /** Start of the deprecation, in seconds since the Unix epoch. */
  readonly deprecatedAt: number;
  /** Removal date, in seconds since the Unix epoch; not before `deprecatedAt`. */
  readonly sunsetAt: number;
  /** Replacement: a path or a URL. */
  readonly successor: string;
}
