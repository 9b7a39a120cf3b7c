import type { z } from "zod";
import { access } from "../../core/api-keys.js";
import { createRefusal, GgufdError } from "../../core/errors.js";
import type { SlotCommand } from "../../core/slot-command.js";
import { buildCaller } from "../../http/caller.js";
import { parseBody } from "../../validation/parse-body.js";
import { parseInput } from "../../validation/parse-input.js";
import type { DescribedRoute, ModelContext } from "../description/described-route.js";
import { JSON_TYPE, jsonResponse } from "../description/responses.js";
import { modelErrors } from "../fields/described-errors.js";
import { modelQuery } from "./props.js";
import {
  nativeSlots,
  slotCommandAnswer,
  slotCommandBody,
  slotCommandQuery,
  slotPath,
  toSlotCommandAnswer,
  toSlots,
} from "./slots.js";

const invalidModel = createRefusal("invalid_request", [
  { field: "model", reason: 'expected a non-empty string, got ""' },
]);

/** Dependencies of {@link slotRoutes}. */
export interface SlotContext extends ModelContext {
  /** Whether `GET /slots` reports the slots. */
  readonly slotList: "served" | "disabled";
}

const slotListDisabled = new GgufdError(
  "unsupported_operation",
  "GET /slots is disabled: start the server without --no-slots.",
);

const getSlotsRoute: DescribedRoute<SlotContext> = {
  method: "GET",
  path: "/slots",
  access: access.admin,
  description: {
    operationId: "getSlots",
    summary: "List the slots (llama-server)",
    requestParams: { query: modelQuery },
    responses: {
      200: jsonResponse({
        description: "The slots of a model.",
        schema: nativeSlots,
        example: [
          {
            id: 0,
            n_ctx: 2048,
            speculative: false,
            is_processing: true,
            id_task: 7,
            n_held: 104,
            n_prompt_tokens: 120,
            n_prompt_tokens_cache: 96,
            next_token: [{ has_next_token: true, n_remain: 56, n_decoded: 8 }],
          },
          { id: 1, n_ctx: 2048, speculative: false, is_processing: false, n_held: 0 },
        ],
      }),
    },
    errors: [invalidModel, ...modelErrors, slotListDisabled],
  },
  async handle({ models, slotList }, request, reply) {
    if (slotList === "disabled") throw slotListDisabled;
    const { model } = parseQuery(modelQuery, request.query);
    return toSlots(await models.resolve("generation", model, buildCaller(request, reply)));
  },
};

const commandSlotRoute: DescribedRoute<ModelContext> = {
  method: "POST",
  path: "/slots/{id}",
  access: access.admin,
  description: {
    operationId: "commandSlot",
    summary: "Save, restore or erase the cache of a slot (llama-server)",
    description: "Requires `--slot-save-path`. A running generation of the slot finishes first.",
    requestParams: { path: slotPath, query: slotCommandQuery },
    requestBody: {
      description: "Not needed for `erase`.",
      content: { [JSON_TYPE]: { schema: slotCommandBody, example: { filename: "manual" } } },
    },
    responses: {
      200: jsonResponse({
        description: "The result of the action.",
        schema: slotCommandAnswer,
        example: {
          id_slot: 0,
          filename: "manual",
          n_saved: 812,
          n_written: 6721920,
          timings: { save_ms: 4.1 },
        },
      }),
    },
    errors: [
      invalidModel,
      ...modelErrors,
      new GgufdError("not_found", 'There is no saved state "manual".', { param: "filename" }),
      new GgufdError(
        "unsupported_operation",
        "Saving slots is disabled: start the server with --slot-save-path.",
      ),
      new GgufdError("server_overloaded", "The KV cache has no room for the state.", {
        retryAfterSeconds: 1,
      }),
      new GgufdError("storage_unavailable", "The state could not be written."),
    ],
  },
  async handle({ models }, request, reply) {
    const path = { code: "invalid_request", inputName: "path" } as const;
    const { id: slot } = parseInput(slotPath, request.params, path);
    const { action, model } = parseQuery(slotCommandQuery, request.query);
    const command: SlotCommand =
      action === "erase"
        ? { action, slot }
        : { action, slot, name: (await parseBody(slotCommandBody, request.body)).filename };
    const { slots } = await models.resolve("generation", model, buildCaller(request, reply));
    return toSlotCommandAnswer(command, await slots.command(command));
  },
};

/** Routes that report the state of slots, and save, restore or erase their contents. */
export const slotRoutes: readonly DescribedRoute<SlotContext>[] = [getSlotsRoute, commandSlotRoute];

function parseQuery<Schema extends z.ZodType>(schema: Schema, query: unknown): z.output<Schema> {
  return parseInput(schema, query, { code: "invalid_request", inputName: "query" });
}
