import { z } from "zod";
import { access } from "../../core/api-keys.js";
import { GgufdError } from "../../core/errors.js";
import { createDisconnectSignal } from "../../http/caller.js";
import { JSON_LINES, sendEventStream } from "../../http/event-stream.js";
import { toPattern } from "../../http/route.js";
import { parseBody } from "../../validation/parse-body.js";
import type { DescribedRoute } from "../description/described-route.js";
import { jsonBody } from "../description/request-body.js";
import { response } from "../description/responses.js";
import type { OllamaContext } from "./context.js";
import { OLLAMA_PATH, toOllamaError } from "./error-envelope.js";
import { copyErrors, createErrors, deleteErrors, examplePullLine, pullErrors } from "./examples.js";
import { linesResponse } from "./lines-response.js";
import { findNamedEntry, readModelName, resolveNewName, toPullName } from "./model-names.js";
import { requireBase, toRecipe } from "./model-recipe.js";
import { copyRequest, createRequest, deleteRequest, pullRequest } from "./model-requests.js";
import {
  type ProgressLine,
  progressLine,
  SUCCESS,
  toCreateLines,
  toPullLines,
} from "./progress.js";

const pullRoute: DescribedRoute<OllamaContext> = {
  method: "POST",
  path: "/pull",
  access: access.admin,
  description: {
    operationId: "pullOllamaModel",
    summary: "Pull a model",
    description:
      "Downloads or updates a model, and resumes an interrupted pull. Disconnecting stops the pull.",
    requestBody: jsonBody(pullRequest, { model: "llama3.2:1b" }),
    responses: {
      200: linesResponse({
        description:
          "Lines of JSON; the last one is `success` or an error. A slow reader receives only the latest progress of each file. One JSON value with `stream: false`.",
        answer: progressLine,
        example: examplePullLine,
        lineId: "OllamaPullLine",
      }),
    },
    errors: pullErrors,
  },
  async handle({ library, pingAfterMs }, request, reply) {
    const body = await parseBody(pullRequest, request.body);
    const name = toPullName(readModelName(body));
    // A pull may take longer than an answer, whose time is limited.
    const signal = createDisconnectSignal(reply);
    const lines = toPullLines((pull) => library.pull(name, pull), signal);
    if (body.stream === false) return (await readLast(lines)) ?? reply.send();
    await sendEventStream(reply, lines, {
      format: JSON_LINES,
      printError: toOllamaError,
      signal,
      pingAfterMs,
    });
    return reply;
  },
};

/** @returns `undefined`: there are no lines, because the client has disconnected */
async function readLast(lines: AsyncIterable<ProgressLine>): Promise<ProgressLine | undefined> {
  let last: ProgressLine | undefined;
  for await (const line of lines) last = line;
  return last;
}

const deleteRoute: DescribedRoute<OllamaContext> = {
  method: "DELETE",
  path: "/delete",
  access: access.admin,
  description: {
    operationId: "deleteOllamaModel",
    summary: "Delete a model",
    description: "Unloads a pulled, copied or created model and deletes its files.",
    requestBody: jsonBody(deleteRequest, { model: "llama3.2:1b" }),
    responses: { 200: response({ description: "The model was deleted." }) },
    errors: deleteErrors,
  },
  async handle(context, request, reply) {
    const body = await parseBody(deleteRequest, request.body);
    const { alias } = await findNamedEntry(context, readModelName(body));
    await context.library.remove(alias);
    return reply.send();
  },
};

const copyRoute: DescribedRoute<OllamaContext> = {
  method: "POST",
  path: "/copy",
  access: access.admin,
  description: {
    operationId: "copyOllamaModel",
    summary: "Copy a model",
    description: "Adds a name to the model. Its files are not copied.",
    requestBody: jsonBody(copyRequest, { source: "llama3.2:1b", destination: "mine" }),
    responses: { 200: response({ description: "The model is available under both names." }) },
    errors: copyErrors,
  },
  async handle(context, request, reply) {
    const { source, destination } = await parseBody(copyRequest, request.body);
    const { alias } = await findNamedEntry(context, source);
    await context.library.copy(alias, resolveNewName(context.models, destination));
    return reply.send();
  },
};

const createRoute: DescribedRoute<OllamaContext> = {
  method: "POST",
  path: "/create",
  access: access.admin,
  description: {
    operationId: "createOllamaModel",
    summary: "Create a model",
    description:
      "Creates a model from the files of another one, with a different system message, options and licences.",
    requestBody: jsonBody(createRequest, {
      model: "brief",
      from: "llama3.2:1b",
      system: "Be brief.",
      parameters: { temperature: 0.2 },
    }),
    responses: {
      200: linesResponse({
        description:
          "Lines of JSON; the last one is `success`. One JSON value with `stream: false`.",
        answer: progressLine,
        example: SUCCESS,
        lineId: "OllamaCreateLine",
      }),
    },
    errors: createErrors,
  },
  async handle(context, request, reply) {
    const body = await parseBody(createRequest, request.body);
    const name = resolveNewName(context.models, readModelName(body));
    const base = await findNamedEntry(context, requireBase(body));
    const texts = await context.library.readTexts(base);
    const creation = context.library.make(name, toRecipe(body, base.alias, texts));
    if (body.stream === false) {
      await creation;
      return SUCCESS;
    }
    await sendEventStream(reply, toCreateLines(creation), {
      format: JSON_LINES,
      printError: toOllamaError,
      signal: createDisconnectSignal(reply),
      pingAfterMs: context.pingAfterMs,
    });
    return reply;
  },
};

/** Describes a route of Ollama that this server refuses. */
function createRefusingRoute(
  path: string,
  reason: string,
  description: Partial<DescribedRoute["description"]> = {},
): DescribedRoute {
  const name = path.split("/")[1] ?? "";
  const { errors = [], ...described } = description;
  const createError = () =>
    new GgufdError("unsupported_operation", `POST ${OLLAMA_PATH}${toPattern(path)}: ${reason}.`);
  return {
    method: "POST",
    path,
    access: access.inference,
    runs: "before-body",
    description: {
      operationId: `refuseOllama${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      summary: `Not supported: ${name}`,
      description: `Not supported: ${reason}.`,
      ...described,
      responses: {},
      errors: [...errors, createError()],
    },
    async handle() {
      throw createError();
    },
  };
}

/** Ollama's routes that change the stored models. */
export const storeRoutes: readonly DescribedRoute<OllamaContext>[] = [
  pullRoute,
  deleteRoute,
  copyRoute,
  createRoute,
  createRefusingRoute("/push", "this server does not push models to registries"),
  createRefusingRoute(
    "/blobs/{digest}",
    "this server takes no files from clients; it pulls models by name",
    {
      requestParams: {
        path: z.object({ digest: z.string().meta({ example: "sha256:9f86d081" }) }),
      },
      errors: [
        new GgufdError("invalid_request", "'/api/blobs/%E0%A4%A' is not a valid url component"),
      ],
    },
  ),
];
