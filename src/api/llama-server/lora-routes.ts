import { access } from "../../core/api-keys.js";
import { createRefusal } from "../../core/errors.js";
import { buildCaller } from "../../http/caller.js";
import { parseBody } from "../../validation/parse-body.js";
import { parseInput } from "../../validation/parse-input.js";
import type { DescribedRoute, ModelContext } from "../description/described-route.js";
import { jsonBody } from "../description/request-body.js";
import { jsonResponse } from "../description/responses.js";
import { modelErrors } from "../fields/described-errors.js";
import { toAdapterChoices } from "../fields/lora.js";
import {
  nativeAdapterAnswer,
  nativeAdapterChoices,
  nativeAdapters,
  toNativeAdapters,
} from "./lora-adapters.js";
import { propsQuery } from "./props.js";

const getAdaptersRoute: DescribedRoute<ModelContext> = {
  method: "GET",
  path: "/lora-adapters",
  access: access.inference,
  description: {
    operationId: "getLoraAdapters",
    summary: "List the LoRA adapters of a model (llama-server)",
    requestParams: { query: propsQuery },
    responses: {
      200: jsonResponse({
        description: "The adapters, by id.",
        schema: nativeAdapters,
        example: [
          { id: 0, path: "sql.gguf", scale: 1, task_name: "sql", prompt_prefix: "" },
          { id: 1, path: "poet.gguf", scale: 0, task_name: "poet", prompt_prefix: "" },
        ],
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        { field: "model", reason: 'expected a non-empty string, got ""' },
      ]),
      ...modelErrors,
    ],
  },
  async handle({ models }, request, reply) {
    const { adapters } = await models.resolve(
      "generation",
      parseModel(request.query),
      buildCaller(request, reply),
    );
    return toNativeAdapters(adapters);
  },
};

const setAdaptersRoute: DescribedRoute<ModelContext> = {
  method: "POST",
  path: "/lora-adapters",
  access: access.admin,
  description: {
    operationId: "setLoraAdapters",
    summary: "Set the default LoRA adapter scales (llama-server)",
    description:
      "Applies to requests without a `lora` field until the model is unloaded or the server stops. Adapters that are not listed are disabled.",
    requestParams: { query: propsQuery },
    requestBody: jsonBody(nativeAdapterChoices, [{ id: 0, scale: 0.5 }]),
    responses: {
      200: jsonResponse({
        description: "The scales were set.",
        schema: nativeAdapterAnswer,
        example: { success: true },
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        { field: "0.id", reason: "expected no adapter, because the model has none, got 0" },
      ]),
      ...modelErrors,
    ],
  },
  async handle({ models }, request, reply) {
    const choices = await parseBody(nativeAdapterChoices, request.body);
    const { adapters } = await models.resolve(
      "generation",
      parseModel(request.query),
      buildCaller(request, reply),
    );
    const { list } = adapters;
    adapters.useByDefault(toAdapterChoices(choices, { list, field: undefined }));
    return { success: true };
  },
};

function parseModel(query: unknown): string | undefined {
  return parseInput(propsQuery, query, { code: "invalid_request", inputName: "query" }).model;
}

/** llama-server's routes for LoRA adapters. */
export const adapterRoutes: readonly DescribedRoute<ModelContext>[] = [
  getAdaptersRoute,
  setAdaptersRoute,
];
