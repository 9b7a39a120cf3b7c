/**
 * Merges repeated slashes of a request's path: clients that join a base URL ending in a slash with
 * a path ask for `/v1//models`.
 */
export function mergeSlashes(url: string): string {
  const [path = "", ...query] = url.split("?");
  return [path.replaceAll(/\/{2,}/g, "/"), ...query].join("?");
}
