import { z } from "zod";
import { access } from "../../core/api-keys.js";
import { GgufdError, refusalOf, toClientError } from "../../core/errors.js";
import { followingSignal } from "../../http/caller.js";
import { logServerError } from "../../http/error-handler.js";
import { DATA_EVENTS, sendEventStream } from "../../http/event-stream.js";
import { parseBody } from "../../validation/parse-body.js";
import { parseInput } from "../../validation/parse-input.js";
import type { AnswerContext, DescribedRoute } from "../description/described-route.js";
import { internalError } from "../description/example-errors.js";
import { jsonBody } from "../description/request-body.js";
import { jsonResponse, response } from "../description/responses.js";
import { modelErrors, queueErrors } from "../fields/described-errors.js";
import { toErrorEnvelope } from "../fields/error-envelope.js";
import { type ModelsContext, modelToChange } from "../models/listed-models.js";
import { followed } from "./followed-library.js";
import { modelEvent, toModelEvents } from "./model-events.js";
import { namedModel, namedModelQuery } from "./model-names.js";

/** The stream has no terminator: it ends only when the server shuts down. */
const FORMAT = { ...DATA_EVENTS, terminator: "" };

const success = z.object({ success: z.literal(true) }).meta({ id: "RouterSuccess" });

const SUCCESS = { success: true } as const;

const succeeds = (description: string) => ({
  200: jsonResponse({ description, schema: success, example: SUCCESS }),
});

const example = { model: "hf:ggml-org/gemma-3-4b-it-GGUF:Q4_K_M" };

const invalidName = refusalOf("invalid_request", [
  {
    field: "model",
    reason:
      'expected the name of a model, of at most 512 characters, no path and no URL, got "/etc/passwd"',
  },
]);

const noStore = new GgufdError(
  "unsupported_operation",
  "Downloads are disabled: the server was started with --offline.",
);

const loadRoute: DescribedRoute<ModelsContext> = {
  method: "POST",
  path: "/v1/models/load",
  access: access.admin,
  description: {
    operationId: "loadModel",
    summary: "Load a model, for llama.cpp's clients",
    description:
      "Answers when the model is being loaded, which may have to wait until others have made room. `GET /v1/models` and `/v1/models/sse` tell how it goes on.",
    requestBody: jsonBody(namedModel, example),
    responses: succeeds("The model is being loaded."),
    errors: [invalidName, ...modelErrors, ...queueErrors],
  },
  async handle(context, { body }) {
    const { model } = await parseBody(namedModel, body);
    const { alias, state } = await modelToChange(context, model);
    if (state.state === "loading") return SUCCESS;
    if (state.state !== "absent") throw wrongState(alias, "that is not loaded", "which is");
    await context.loads.begin(alias);
    return SUCCESS;
  },
};

const unloadRoute: DescribedRoute<ModelsContext> = {
  method: "POST",
  path: "/v1/models/unload",
  access: access.admin,
  description: {
    operationId: "unloadModel",
    summary: "Unload a model or end its download, for llama.cpp's clients",
    description:
      "Answers at once. The model takes no requests any more, and goes when those that it has have ended. What has come of a download stays, and the next one goes on from there.",
    requestBody: jsonBody(namedModel, example),
    responses: succeeds("The model is being unloaded, or the download has ended."),
    errors: [invalidName, ...modelErrors],
  },
  async handle(context, request) {
    const { library, loads } = context;
    const { model } = await parseBody(namedModel, request.body);
    if (library.endPull(model)) return SUCCESS;
    const { alias, state } = await modelToChange(context, model);
    const isGivenUp = loads.end(alias);
    if (state.state === "absent" && !isGivenUp) {
      throw wrongState(alias, "that is loaded", "which is not");
    }
    library.unload(alias).catch((error: unknown) => logServerError(toClientError(error), request));
    return SUCCESS;
  },
};

const downloadRoute: DescribedRoute<ModelsContext> = {
  method: "POST",
  path: "/v1/models",
  access: access.admin,
  description: {
    operationId: "downloadModel",
    summary: "Download a model, for llama.cpp's clients",
    description:
      "Fetches a model of the hub or of Ollama's registry, or what has changed of it, in the background: `GET /v1/models` and `/v1/models/sse` tell how it goes on.",
    requestBody: jsonBody(namedModel, example),
    responses: succeeds("The download has begun."),
    errors: [invalidName, noStore, internalError],
  },
  async handle({ library }, { body }) {
    const { model } = await parseBody(namedModel, body);
    library.beginPull(model);
    return SUCCESS;
  },
};

const removeRoute: DescribedRoute<ModelsContext> = {
  method: "DELETE",
  path: "/v1/models",
  access: access.admin,
  description: {
    operationId: "removeModel",
    summary: "Remove a stored model or end its download, for llama.cpp's clients",
    description:
      "Removes what was pulled, and ends its download if there is one: what has come of that stays, and the next one goes on from there. What the operator has configured, and what belongs to other programs, stays.",
    requestParams: { query: namedModelQuery },
    responses: succeeds("The model is removed, or its download has ended."),
    errors: [
      invalidName,
      ...modelErrors,
      new GgufdError("model_in_use", "qwen3:8b: it is being pulled by another process.", {
        param: "model",
      }),
      noStore,
      new GgufdError(
        "storage_unavailable",
        "The folder of models cannot be read or written; the server's log says why.",
      ),
    ],
  },
  async handle({ library }, { query }) {
    const { model } = parseInput(namedModelQuery, query, {
      code: "invalid_request",
      inputName: "query",
    });
    await library.remove(model);
    return SUCCESS;
  },
};

const eventsRoute: DescribedRoute<ModelsContext & Pick<AnswerContext, "pingAfterMs">> = {
  method: "GET",
  path: "/v1/models/sse",
  access: access.admin,
  description: {
    operationId: "followModels",
    summary: "Tell what happens to the models, for llama.cpp's clients",
    description:
      "Server-sent events, until the client hangs up or the server ends. A client that reads slowly is told how far something is less often.",
    responses: {
      200: response({
        description: "The events.",
        content: {
          "text/event-stream": {
            schema: modelEvent,
            example: { model: "qwen3:8b", event: "status_change", data: { status: "loaded" } },
          },
        },
      }),
    },
    errors: [],
  },
  async handle({ library, pingAfterMs }, request, reply) {
    if (request.method === "HEAD") return reply.type(FORMAT.contentType).send();
    const signal = followingSignal(reply);
    await sendEventStream(reply, toModelEvents(followed(library, signal)), {
      format: FORMAT,
      printError: (error) => toErrorEnvelope(error, request.id),
      signal,
      pingAfterMs,
      begins: "at-once",
    });
    return reply;
  },
};

/**
 * llama-server's routes to load, fetch and remove models, which have no `/v1` prefix there either.
 */
export const routerRoutes: readonly DescribedRoute<ModelsContext & AnswerContext>[] = [
  downloadRoute,
  removeRoute,
  loadRoute,
  unloadRoute,
  eventsRoute,
];

function wrongState(alias: string, expected: string, got: string): GgufdError {
  const reason = `expected a model ${expected}, got \`${alias}\`, ${got}`;
  return refusalOf("invalid_request", [{ field: "model", reason }]);
}
