import { z } from "zod";
import { access } from "../../core/api-keys.js";
import { GgufdError } from "../../core/errors.js";
import { patternOf } from "../../http/route.js";
import { parseBody } from "../../validation/parse-body.js";
import type { DescribedRoute } from "../description/described-route.js";
import { JSON_TYPE, jsonResponse } from "../description/responses.js";
import type { OllamaContext } from "./context.js";
import { OLLAMA_PATH } from "./error-envelope.js";
import { exampleListed, exampleRunning, exampleShown, listErrors, showErrors } from "./examples.js";
import { namedEntry } from "./model-names.js";
import {
  listedModels,
  runningModels,
  shownModel,
  toListedModels,
  toRunningModels,
} from "./models.js";
import { showRequest } from "./schema.js";
import { toShownModel } from "./shown-model.js";

const tagsRoute: DescribedRoute<OllamaContext> = {
  method: "GET",
  path: "/tags",
  access: access.anyKey,
  description: {
    operationId: "listOllamaModels",
    summary: "List the models that can be asked for, loaded or not",
    responses: {
      200: jsonResponse({
        description: "The answer.",
        schema: listedModels,
        example: exampleListed,
      }),
    },
    errors: listErrors,
  },
  handle: async ({ library }) => toListedModels(await library.list()),
};

const psRoute: DescribedRoute<OllamaContext> = {
  method: "GET",
  path: "/ps",
  access: access.anyKey,
  description: {
    operationId: "listRunningOllamaModels",
    summary: "List the loaded models",
    responses: {
      200: jsonResponse({
        description: "The answer.",
        schema: runningModels,
        example: exampleRunning,
      }),
    },
    errors: listErrors,
  },
  handle: async ({ library }) => toRunningModels(await library.list(), new Date()),
};

const exampleShowRequest: z.input<typeof showRequest> = { model: "ggufd-mini" };

const showRoute: DescribedRoute<OllamaContext> = {
  method: "POST",
  path: "/show",
  access: access.inference,
  description: {
    operationId: "showOllamaModel",
    summary: "Describe a model",
    description: "Loaded or not: it is not loaded for that.",
    requestBody: {
      required: true,
      content: { [JSON_TYPE]: { schema: showRequest, example: exampleShowRequest } },
    },
    responses: {
      200: jsonResponse({ description: "The answer.", schema: shownModel, example: exampleShown }),
    },
    errors: showErrors,
  },
  async handle(context, { body }) {
    const { model, name } = await parseBody(showRequest, body);
    return toShownModel(await namedEntry(context, model ?? name));
  },
};

/** The routes of Ollama, below its prefix, that describe models. */
export const modelRoutes: readonly DescribedRoute<OllamaContext>[] = [
  tagsRoute,
  psRoute,
  showRoute,
];

/** A route that is refused, because this server's models are fixed at its start. */
function refused(
  method: "POST" | "DELETE",
  path: string,
  description: Partial<DescribedRoute["description"]> = {},
): DescribedRoute {
  const name = path.split("/")[1] ?? "";
  const { errors = [], ...described } = description;
  const refusal = () =>
    new GgufdError(
      "unsupported_operation",
      `${method} ${OLLAMA_PATH}${patternOf(path)}: this server has no store of models; it serves the one that it was started with.`,
    );
  return {
    method,
    path,
    access: access.inference,
    runs: "before-body",
    description: {
      operationId: `refuseOllama${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      summary: `Refused: ${name}`,
      description: "This server has no store of models.",
      ...described,
      responses: {},
      errors: [...errors, refusal()],
    },
    async handle() {
      throw refusal();
    },
  };
}

/** The routes of Ollama, below its prefix, that would change its store of models: all are refused. */
export const modelStoreRoutes: readonly DescribedRoute[] = [
  refused("POST", "/pull"),
  refused("POST", "/push"),
  refused("POST", "/create"),
  refused("POST", "/copy"),
  refused("DELETE", "/delete"),
  refused("POST", "/blobs/{digest}", {
    requestParams: {
      path: z.object({ digest: z.string().meta({ example: "sha256:9f86d081" }) }),
    },
    errors: [
      new GgufdError("invalid_request", "'/api/blobs/%E0%A4%A' is not a valid url component"),
    ],
  }),
];
