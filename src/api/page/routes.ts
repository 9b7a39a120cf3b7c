import { existsSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { access } from "../../core/api-keys.js";
import { GgufdError } from "../../core/errors.js";
import { addVary } from "../../http/response-headers.js";
import { sendFolderFile, serveFolder } from "../../http/static-files.js";
import type { DescribedRoute } from "../description/described-route.js";
import { JSON_TYPE, response } from "../description/responses.js";
import { acceptsPage } from "./accepts-page.js";
import { FILE_HEADERS, PAGE_HEADERS, PREVIEW_HEADERS } from "./page-headers.js";
import { serviceIndex, toServiceIndex } from "./service-index.js";

/** Dependencies of the page routes. */
export interface PageContext {
  /** Package version of ggufd. */
  readonly version: string;
  /** Folder of the page's files; `undefined`: there is no page. */
  readonly page: string | undefined;
}

/** Path prefix of the page's files. */
const FILES_PATH = "/page";
const DOCUMENT = "index.html";
/** Document of previews of code, framed by the page. */
const PREVIEW_DOCUMENT = "preview.html";

const indexRoute: DescribedRoute<PageContext> = {
  method: "GET",
  path: "/",
  access: access.open,
  description: {
    operationId: "getIndex",
    summary: "Get the web UI or the service index",
    description:
      "Returns the web UI to clients that accept HTML, such as browsers, unless the server runs with `--no-page`. Other clients get the service index.",
    responses: {
      200: response({
        description: "The web UI, or the name of the server and the paths of its main resources.",
        content: {
          [JSON_TYPE]: { schema: serviceIndex, example: toServiceIndex("0.1.0") },
          "text/html": { schema: z.string(), example: "<!doctype html>…" },
        },
      }),
      304: response({ description: "The cached copy of the web UI is current." }),
    },
    errors: [],
  },
  async handle({ version, page }, request, reply) {
    const index = toServiceIndex(version, request.server.pathPrefix);
    if (page === undefined) return index;
    addVary(reply, "Accept");
    if (!acceptsPage(request.headers.accept)) return index;
    return sendFolderFile(request, reply.headers(PAGE_HEADERS), DOCUMENT);
  },
};

const fileRoute: DescribedRoute<PageContext> = {
  method: "GET",
  path: `${FILES_PATH}/{file}`,
  access: access.open,
  description: {
    operationId: "getPageFile",
    summary: "Get a file of the web UI",
    description:
      "Returns a script, a style sheet or an image, whose name changes with its content, or `preview.html`: the document in which the web UI shows HTML and diagrams of answers, with a policy that forbids it all requests.",
    requestParams: { path: z.object({ file: z.string().meta({ example: "index.js" }) }) },
    responses: {
      200: response({
        description: "The file.",
        content: {
          "application/javascript": { schema: z.string(), example: "export {};" },
          "text/html": { schema: z.string(), example: "<!doctype html>…" },
        },
      }),
      304: response({ description: "The cached copy is current." }),
    },
    errors: [
      new GgufdError("invalid_request", "'/page/%E0%A4%A' is not a valid url component"),
      new GgufdError("not_found", "There is nothing at GET /page/index.ts."),
    ],
  },
  async handle({ page }, request, reply) {
    const { file } = request.params as { readonly file: string };
    if (page === undefined || !isFileName(file) || !existsSync(join(page, file))) {
      throw new GgufdError("not_found", `There is nothing at GET ${FILES_PATH}/${file}.`);
    }
    const headers = file === PREVIEW_DOCUMENT ? PREVIEW_HEADERS : FILE_HEADERS;
    return sendFolderFile(request, reply.headers(headers), file);
  },
};

/**
 * Routes of the page and its files, and of the response at `/` for clients other than browsers. See
 * {@link servePage}.
 */
export const pageRoutes: readonly DescribedRoute<PageContext>[] = [indexRoute, fileRoute];

/** Lets the routes of a scope send the page's files. */
export function servePage(scope: FastifyInstance, { page }: PageContext): void {
  if (page !== undefined) serveFolder(scope, page);
}

/** Matches file names of the build, and nothing that could lead out of the folder. */
function isFileName(name: string): boolean {
  return (
    name === PREVIEW_DOCUMENT || /^[\w-]+(?:\.[\w-]+)*\.(?:js|mjs|css|svg|wasm|bcmap)$/.test(name)
  );
}
