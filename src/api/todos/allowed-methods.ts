/**
 * The methods of a todo path as the header Allow lists them (RFC 9110, section 10.2.1); undefined
 * when there is no such path.
 *
 * @param path of the request, without its query
 */
export function allowedMethods(path: string): string | undefined {
  if (/^\/api\/todos\/?$/.test(path)) return "GET, HEAD, POST";
  if (/^\/api\/todos\/[^/]+$/.test(path)) return "PATCH, DELETE";
  return undefined;
}
