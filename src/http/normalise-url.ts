/**
 * Percent-encoded unreserved characters, such as `%7E`, which are equivalent to the characters
 * themselves.
 */
const encodedUnreserved = /%(?:2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/gi;

/**
 * Normalises a request target. Repeated slashes in the path are merged, because clients that join a
 * base URL ending in a slash with a path request `/v1//models`. Percent-encoded unreserved
 * characters are decoded (RFC 3986, section 6.2.2.2).
 */
export function normaliseUrl(url: string): string {
  const path = pathOf(url);
  const normalised = path
    .replaceAll(/\/{2,}/g, "/")
    .replaceAll(encodedUnreserved, (code) => decodeURIComponent(code));
  return normalised + url.slice(path.length);
}

/** The path of a request target, without query and fragment. */
export function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? url;
}

/** Whether a path equals another or is below it: `/todos` and `/todos/1` for `/todos`. */
export function isAtOrBelow(path: string, parent: string): boolean {
  return `${path}/`.startsWith(parent.endsWith("/") ? parent : `${parent}/`);
}
