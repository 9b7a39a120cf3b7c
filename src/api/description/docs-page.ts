/** Files of the documentation page: Swagger UI's, and two of this module. */

import { buildDocsInitialiser } from "./docs-initialiser.js";

/** Path of the documentation page; its files are below it. */
export const DOCS_PATH = "/docs";

/** Paths of the OpenAPI description. */
export const JSON_PATH = "/openapi.json";
export const YAML_PATH = "/openapi.yaml";

/**
 * The page loads from its own origin only; inline scripts and styles are blocked. Swagger UI's
 * style sheet embeds its images as `data:` URLs.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Returns the page.
 * @param pathPrefix path that the paths of all routes begin with
 */
export const docsPage = (pathPrefix: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>ggufd: HTTP interface</title>
    <link rel="icon" type="image/png" href="${pathPrefix}${DOCS_PATH}/favicon-32x32.png">
    <link rel="stylesheet" href="${pathPrefix}${DOCS_PATH}/swagger-ui.css">
    <link rel="stylesheet" href="${pathPrefix}${DOCS_PATH}/page.css">
  </head>
  <body>
    <header>
      <h1>ggufd</h1>
      <p>GGUF language models over HTTP, and to-dos.</p>
      <nav><a href="${pathPrefix}${JSON_PATH}">openapi.json</a> <a href="${pathPrefix}${YAML_PATH}">openapi.yaml</a></nav>
    </header>
    <main id="swagger-ui"></main>
    <noscript>This page needs JavaScript; the description itself is <a href="${pathPrefix}${JSON_PATH}">openapi.json</a>.</noscript>
    <script src="${pathPrefix}${DOCS_PATH}/swagger-ui-bundle.js"></script>
    <script src="${pathPrefix}${DOCS_PATH}/initialiser.js"></script>
  </body>
</html>
`;

const styles = `body { margin: 0; background: #fff; font-family: system-ui, sans-serif; }
header { background: #14213d; color: #fff; }
header > * { max-width: 1460px; margin: 0 auto; padding: 0 20px; box-sizing: border-box; }
header h1 { padding-top: 20px; font-size: 28px; }
header p { padding-top: 4px; padding-bottom: 12px; color: #cbd5e1; }
header nav { padding-bottom: 16px; }
header a { color: #fca311; margin-right: 16px; }
noscript { display: block; padding: 20px; }
.swagger-ui .info { margin: 28px 0; }
.swagger-ui .info .title { font-size: 24px; }
.swagger-ui .scheme-container { margin: 0 0 12px; padding: 12px 0; box-shadow: none; }
`;

/** Files of the page that this module provides, with their media types. */
export const ownFiles = {
  "initialiser.js": {
    mediaType: "text/javascript",
    text: (pathPrefix: string) => buildDocsInitialiser(pathPrefix + JSON_PATH),
  },
  "page.css": { mediaType: "text/css", text: () => styles },
} as const;

/** Files of the page that are served from Swagger UI's package. */
export const swaggerFiles = [
  "favicon-32x32.png",
  "swagger-ui-bundle.js",
  "swagger-ui.css",
] as const;

export function isOwnFile(name: string): name is keyof typeof ownFiles {
  return Object.hasOwn(ownFiles, name);
}

export function isSwaggerFile(name: string): name is (typeof swaggerFiles)[number] {
  return (swaggerFiles as readonly string[]).includes(name);
}
