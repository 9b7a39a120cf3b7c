/** `%7E` and the like: characters that mean the same whether or not they are encoded. */
const encodedUnreserved = /%(?:2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/gi;

/**
 * A request's target in the one form that paths are compared in. Repeated slashes of its path are
 * merged: clients that join a base URL ending in a slash with a path ask for `/v1//models`. Letters
 * and digits that were encoded without need are decoded (RFC 3986, section 6.2.2.2).
 */
export function normaliseUrl(url: string): string {
  const path = pathOf(url);
  const normalised = path
    .replaceAll(/\/{2,}/g, "/")
    .replaceAll(encodedUnreserved, (code) => decodeURIComponent(code));
  return normalised + url.slice(path.length);
}

/** The path of a request's target, without its query. */
export function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? url;
}

/** Whether a path is another one or below it: `/todos` and `/todos/1` are at or below `/todos`. */
export function isAtOrBelow(path: string, parent: string): boolean {
  return `${path}/`.startsWith(parent.endsWith("/") ? parent : `${parent}/`);
}
