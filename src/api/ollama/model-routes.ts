import type { z } from "zod";
import { access } from "../../core/api-keys.js";
import type { LibraryModel } from "../../core/model-library.js";
import { parseBody } from "../../validation/parse-body.js";
import type { DescribedRoute } from "../description/described-route.js";
import { JSON_TYPE, jsonResponse } from "../description/responses.js";
import type { OllamaContext } from "./context.js";
import { exampleListed, exampleRunning, exampleShown, listErrors, showErrors } from "./examples.js";
import { findNamedEntry } from "./model-names.js";
import { showRequest } from "./model-requests.js";
import {
  listedModels,
  runningModels,
  shownModel,
  toListedModels,
  toRunningModels,
} from "./models.js";
import { toShownModel } from "./shown-model.js";

const tagsRoute: DescribedRoute<OllamaContext> = {
  method: "GET",
  path: "/tags",
  access: access.anyKey,
  description: {
    operationId: "listOllamaModels",
    summary: "List the models (Ollama)",
    responses: {
      200: jsonResponse({
        description: "The answer.",
        schema: listedModels,
        example: exampleListed,
      }),
    },
    errors: listErrors,
  },
  async handle({ library }) {
    const models = await library.list();
    return toListedModels(models, await library.readHeaders(models.filter(isNotLoaded)));
  },
};

const psRoute: DescribedRoute<OllamaContext> = {
  method: "GET",
  path: "/ps",
  access: access.anyKey,
  description: {
    operationId: "listRunningOllamaModels",
    summary: "List the loaded models (Ollama)",
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
    summary: "Get the details of a model (Ollama)",
    description: "Does not load the model.",
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
    const { library } = context;
    const { model: given, name } = await parseBody(showRequest, body);
    const model = await findNamedEntry(context, given ?? name);
    const [headers, texts] = await Promise.all([
      library.readHeaders([model].filter(isNotLoaded)),
      library.readTexts(model),
    ]);
    return toShownModel(model, { header: headers.get(model.alias), texts });
  },
};

/**
 * Whether the header of the model's file must be read: the engine of a loaded model already knows
 * it.
 */
function isNotLoaded({ loaded }: LibraryModel): boolean {
  return loaded === undefined;
}

/** Ollama's routes that describe models. */
export const modelRoutes: readonly DescribedRoute<OllamaContext>[] = [
  tagsRoute,
  psRoute,
  showRoute,
];
