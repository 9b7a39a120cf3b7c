/** A path that will be gone, with all below it. */
export interface DeprecatedPath {
  readonly path: string;
  /** Since when nobody should begin to use it: seconds since 1970. */
  readonly deprecatedAt: number;
  /** When it is gone: seconds since 1970, not before `deprecatedAt`. */
  readonly sunsetAt: number;
  /** What to use instead: a path or a URL. */
  readonly successor: string;
}
