import { z } from "zod";
import { access } from "../../core/api-keys.js";
import { createRefusal, GgufdError, toClientError } from "../../core/errors.js";
import { createEndlessAnswerSignal } from "../../http/caller.js";
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
import { findModelToChange, type ModelsContext } from "../models/listed-models.js";
import { followLibrary } from "./library-events.js";
import { modelEvent, toModelEvents } from "./model-events.js";
import { namedModel, namedModelQuery } from "./model-names.js";

/** The stream has no terminator: it ends only when the server shuts down. */
const FORMAT = { ...DATA_EVENTS, terminator: "" };

const success = z.object({ success: z.literal(true) }).meta({ id: "RouterSuccess" });

const SUCCESS = { success: true } as const;

const describeSuccess = (description: string) => ({
  200: jsonResponse({ description, schema: success, example: SUCCESS }),
});

const example = { model: "hf:ggml-org/gemma-3-4b-it-GGUF:Q4_K_M" };

const invalidName = createRefusal("invalid_request", [
  {
    field: "model",
    reason:
      'expected the name of a model, of at most 512 characters, no path and no URL, got "/etc/passwd"',
  },
]);

const downloadsDisabledError = new GgufdError(
  "unsupported_operation",
  "Downloads are disabled: the server was started with --offline.",
);

const loadRoute: DescribedRoute<ModelsContext> = {
  method: "POST",
  path: "/v1/models/load",
  access: access.admin,
  description: {
    operationId: "loadModel",
    summary: "Load a model (llama-server)",
    description:
      "Returns once loading has started, which may wait until other models are unloaded. Progress: `GET /v1/models` and `/v1/models/sse`.",
    requestBody: jsonBody(namedModel, example),
    responses: describeSuccess("Loading has started."),
    errors: [invalidName, ...modelErrors, ...queueErrors],
  },
  async handle(context, { body }) {
    const { model } = await parseBody(namedModel, body);
    const { alias, state } = await findModelToChange(context, model);
    if (state.state === "loading") return SUCCESS;
    if (state.state !== "absent") throw createStateError(alias, "that is not loaded", "which is");
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
    summary: "Unload a model or stop its download (llama-server)",
    description:
      "Returns immediately. The model accepts no new requests and is unloaded when its current ones have finished. The part of a download that has arrived is kept, and the next download resumes from it.",
    requestBody: jsonBody(namedModel, example),
    responses: describeSuccess("The model is being unloaded, or the download was stopped."),
    errors: [invalidName, ...modelErrors],
  },
  async handle(context, request) {
    const { library, loads } = context;
    const { model } = await parseBody(namedModel, request.body);
    if (library.endPull(model)) return SUCCESS;
    const { alias, state } = await findModelToChange(context, model);
    const isCancelled = loads.cancel(alias);
    if (state.state === "absent" && !isCancelled) {
      throw createStateError(alias, "that is loaded", "which is not");
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
    summary: "Download a model (llama-server)",
    description:
      "Downloads or updates a model from Hugging Face or the Ollama registry in the background. Progress: `GET /v1/models` and `/v1/models/sse`.",
    requestBody: jsonBody(namedModel, example),
    responses: describeSuccess("The download has started."),
    errors: [invalidName, downloadsDisabledError, internalError],
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
    summary: "Delete a model or stop its download (llama-server)",
    description:
      "Deletes a pulled model, or stops its download. The part of a download that has arrived is kept, and the next download resumes from it. Configured models and files of other programs cannot be deleted.",
    requestParams: { query: namedModelQuery },
    responses: describeSuccess("The model was deleted, or its download was stopped."),
    errors: [
      invalidName,
      ...modelErrors,
      new GgufdError("model_in_use", "qwen3:8b: the model is being pulled by another process.", {
        param: "model",
      }),
      downloadsDisabledError,
      new GgufdError(
        "storage_unavailable",
        "The models folder cannot be read or written; see the server's log.",
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
    summary: "Stream model events (llama-server)",
    description:
      "Sends server-sent events until the client disconnects or the server stops. A client that reads slowly receives fewer progress events.",
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
    const signal = createEndlessAnswerSignal(reply);
    await sendEventStream(reply, toModelEvents(followLibrary(library, signal)), {
      format: FORMAT,
      printError: (error) => toErrorEnvelope(error, request.id),
      signal,
      pingAfterMs,
      headerTiming: "at-once",
    });
    return reply;
  },
};

/**
 * llama-server's routes to load, fetch and remove models. Clients may omit the `/v1` prefix, which
 * llama-server's own routes do not have.
 */
export const routerRoutes: readonly DescribedRoute<ModelsContext & AnswerContext>[] = [
  downloadRoute,
  removeRoute,
  loadRoute,
  unloadRoute,
  eventsRoute,
];

function createStateError(alias: string, expected: string, got: string): GgufdError {
  const reason = `expected a model ${expected}, got \`${alias}\`, ${got}`;
  return createRefusal("invalid_request", [{ field: "model", reason }]);
}
