import type { FastifyInstance } from "fastify";
import { isAtOrBelow, normaliseUrl, pathOf } from "./normalise-url.js";

declare module "fastify" {
  interface FastifyInstance {
    /** Path that the paths of all routes begin with for clients: empty, or such as `/llm`. */
    pathPrefix: string;
  }
}

/**
 * Returns a request target without the prefix that the server is served under. A target outside it
 * gets two further slashes, with which no route matches, even if a trailing one is ignored.
 * @param url normalised
 */
export function removePrefix(url: string, prefix: string): string {
  if (prefix === "") return url;
  if (!isAtOrBelow(pathOf(url), prefix)) return `//${url}`;
  const rest = url.slice(prefix.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/**
 * Adds the prefix to the paths that responses refer to in `Location` and `Link`, and redirects the
 * prefix itself to the path of the page, whose files are relative to it. Request targets must have
 * been rewritten by {@link removePrefix}.
 */
export function addPathPrefix(app: FastifyInstance, prefix: string): void {
  app.decorate("pathPrefix", prefix);
  if (prefix === "") return;
  app.addHook("onRequest", async ({ method, originalUrl }, reply) => {
    if (method !== "GET" && method !== "HEAD") return;
    if (pathOf(normaliseUrl(originalUrl)) === prefix) return reply.redirect("/", 308);
  });
  app.addHook("onSend", async (_request, reply) => {
    const location = reply.getHeader("location");
    if (typeof location === "string" && location.startsWith("/")) {
      reply.header("location", prefix + location);
    }
    const link = reply.getHeader("link");
    if (typeof link === "string") reply.header("link", link.replaceAll("</", `<${prefix}/`));
  });
}
