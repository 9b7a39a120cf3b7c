import { z } from "zod";
import { access } from "../../core/api-keys.js";
import { GgufdError } from "../../core/errors.js";
import type { ModelDirectory, ServedModel } from "../../core/model-directory.js";
import { patternOf } from "../../http/route.js";
import { parseBody } from "../../validation/parse-body.js";
import type { DescribedRoute, ModelContext } from "../description/described-route.js";
import { JSON_TYPE, jsonResponse } from "../description/responses.js";
import { OLLAMA_PATH } from "./error-envelope.js";
import { exampleListed, exampleRunning, exampleShown, listErrors, showErrors } from "./examples.js";
import {
  listedModels,
  runningModels,
  servedName,
  shownModel,
  toListedModels,
  toRunningModels,
  toShownModel,
} from "./models.js";
import { showRequest } from "./schema.js";

const tagsRoute: DescribedRoute<ModelContext> = {
  method: "GET",
  path: "/tags",
  access: access.anyKey,
  description: {
    operationId: "listOllamaModels",
    summary: "List the models",
    responses: {
      200: jsonResponse({
        description: "The answer.",
        schema: listedModels,
        example: exampleListed,
      }),
    },
    errors: listErrors,
  },
  handle: async ({ models }) => toListedModels(loadedOf(models)),
};

const psRoute: DescribedRoute<ModelContext> = {
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
  handle: async ({ models }) => toRunningModels(loadedOf(models), new Date()),
};

const exampleShowRequest: z.input<typeof showRequest> = { model: "ggufd-mini" };

const showRoute: DescribedRoute<ModelContext> = {
  method: "POST",
  path: "/show",
  access: access.inference,
  description: {
    operationId: "showOllamaModel",
    summary: "Describe a model",
    requestBody: {
      required: true,
      content: { [JSON_TYPE]: { schema: showRequest, example: exampleShowRequest } },
    },
    responses: {
      200: jsonResponse({ description: "The answer.", schema: shownModel, example: exampleShown }),
    },
    errors: showErrors,
  },
  async handle({ models }, { body }) {
    const { model, name } = await parseBody(showRequest, body);
    return toShownModel(models.loaded(servedName(models, model ?? name)));
  },
};

function loadedOf(models: ModelDirectory): readonly ServedModel[] {
  return models
    .list()
    .flatMap(({ state, loaded }) =>
      state.state === "ready" && loaded !== undefined ? [loaded] : [],
    );
}

/** The routes of Ollama, below its prefix, that describe models. */
export const modelRoutes: readonly DescribedRoute<ModelContext>[] = [tagsRoute, psRoute, showRoute];

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
