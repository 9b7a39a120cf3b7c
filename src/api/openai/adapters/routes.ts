import type { FastifyReply } from "fastify";
import { z } from "zod";
import { access } from "../../../core/api-keys.js";
import { createRefusal, GgufdError } from "../../../core/errors.js";
import {
  createAdaptersDisabledError,
  type RuntimeAdapters,
} from "../../../core/runtime-adapters.js";
import { buildCaller } from "../../../http/caller.js";
import { parseBody } from "../../../validation/parse-body.js";
import type { DescribedRoute, ModelContext } from "../../description/described-route.js";
import { jsonBody } from "../../description/request-body.js";
import { response } from "../../description/responses.js";
import { modelErrors } from "../../fields/described-errors.js";
import { dropNulls } from "../../fields/nulls.js";
import { loadAdapterRequest, unloadAdapterRequest } from "./request.js";

/** Dependencies of the adapter routes. */
export interface AdapterContext extends ModelContext {
  readonly adapters: RuntimeAdapters;
}

const TEXT_TYPE = "text/plain";

const describeConfirmation = (example: string) =>
  response({
    description: "A message that confirms the action.",
    content: { [TEXT_TYPE]: { schema: z.string(), example } },
  });

const loadAdapterRoute: DescribedRoute<AdapterContext> = {
  method: "POST",
  path: "/v1/load_lora_adapter",
  access: access.admin,
  description: {
    operationId: "loadLoraAdapter",
    summary: "Load a LoRA adapter (vLLM)",
    description: "Requires `--allow-runtime-lora`. Loads the base model first if needed.",
    requestBody: jsonBody(loadAdapterRequest, { lora_name: "sql", lora_path: "sql.gguf" }),
    responses: { 200: describeConfirmation("Success: LoRA adapter 'sql' added successfully.") },
    errors: [
      createRefusal("invalid_request", [
        { field: "lora_name", reason: "expected a unique name, got sql" },
      ]),
      createAdaptersDisabledError(),
      new GgufdError("storage_unavailable", "The folder of adapters cannot be read."),
      ...modelErrors,
    ],
  },
  async handle({ adapters, models }, request, reply) {
    const body = await parseBody(loadAdapterRequest, dropNulls(request.body));
    const { lora_name: name, lora_path: path, base_model_name: model } = body;
    await adapters.load({ name, path, model }, buildCaller(request, reply), models);
    return sendText(reply, `Success: LoRA adapter '${name}' added successfully.`);
  },
};

const unloadAdapterRoute: DescribedRoute<AdapterContext> = {
  method: "POST",
  path: "/v1/unload_lora_adapter",
  access: access.admin,
  description: {
    operationId: "unloadLoraAdapter",
    summary: "Unload a LoRA adapter (vLLM)",
    description:
      "Requires `--allow-runtime-lora`. Waits until running requests of the adapter have finished.",
    requestBody: jsonBody(unloadAdapterRequest, { lora_name: "sql" }),
    responses: { 200: describeConfirmation("Success: LoRA adapter 'sql' removed successfully.") },
    errors: [
      createRefusal("invalid_request", [
        { field: "lora_name", reason: "expected a string of 1 to 200 characters, got 7" },
      ]),
      createAdaptersDisabledError(),
      ...modelErrors,
    ],
  },
  async handle({ adapters, models }, request, reply) {
    const { lora_name: name } = await parseBody(unloadAdapterRequest, dropNulls(request.body));
    await adapters.unload(name, buildCaller(request, reply), models);
    return sendText(reply, `Success: LoRA adapter '${name}' removed successfully.`);
  },
};

/** Sends plain text, like vLLM. */
function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type(`${TEXT_TYPE}; charset=utf-8`).send(text);
}

/** vLLM's routes for LoRA adapters. */
export const runtimeAdapterRoutes: readonly DescribedRoute<AdapterContext>[] = [
  loadAdapterRoute,
  unloadAdapterRoute,
];
