import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { EngineDescription } from "../../../core/engine.js";
import { refusalOf } from "../../../core/errors.js";
import type { RawGenerationRequest } from "../../../core/generation-request.js";
import type { GenerationModel } from "../../../core/model-directory.js";
import type { SlotCommand } from "../../../core/slot-command.js";
import { callerOf } from "../../../http/caller.js";
import { DATA_EVENTS, sendEventStream } from "../../../http/event-stream.js";
import { parseBody } from "../../../validation/parse-body.js";
import { parseInput } from "../../../validation/parse-input.js";
import { dropNulls } from "../drop-nulls.js";
import { toErrorEnvelope } from "../error-envelope.js";
import type { OpenAiRoutesOptions } from "../route.js";
import { rejectUnsupportedParameters } from "../unsupported-parameters.js";
import { type AnswerOrigin, toNativeCompletions, toNativePieces } from "./answer.js";
import { propsQuery, toProps } from "./props.js";
import { pickFields } from "./response-fields.js";
import { withSharedNames, withTokenBiases } from "./sampling.js";
import { nativeCompletionRequest } from "./schema.js";
import { toSettings } from "./settings.js";
import {
  slotCommandBody,
  slotCommandQuery,
  slotPath,
  toSlotCommandAnswer,
  toSlots,
} from "./slots.js";
import { ANY_SLOT, answersPerPrompt, type SharedRequest, toGenerations } from "./translate.js";

export interface NativeRoutesOptions extends OpenAiRoutesOptions {
  /** The package version. */
  readonly version: string;
}

/** llama-server's streams end with their last piece. */
const FORMAT = { ...DATA_EVENTS, terminator: "" };

const SUPPORTED = ["n_probs", "post_sampling_probs"];

/** llama-server's own completions, and what it tells of itself. */
export function nativeRoutes({
  models,
  version,
  pingAfterMs,
}: NativeRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    app.post("/completion", complete);
    app.post("/completions", complete);

    app.get("/props", async ({ query }) => {
      const { model } = parseQuery(propsQuery, query);
      return toProps(await models.find(model), version);
    });

    app.get("/slots", async ({ query }) => {
      const { model } = parseQuery(propsQuery, query);
      return toSlots(await models.resolve("generation", model));
    });

    app.post("/slots/:id", async ({ body, params, query }) => {
      const path = { code: "invalid_request", inputName: "path" } as const;
      const { id: slot } = parseInput(slotPath, params, path);
      const { action, model } = parseQuery(slotCommandQuery, query);
      const command: SlotCommand =
        action === "erase"
          ? { action, slot }
          : { action, slot, name: (await parseBody(slotCommandBody, body)).filename };
      const { generations } = await models.resolve("generation", model);
      return toSlotCommandAnswer(command, await generations.command(command));
    });
  };

  async function complete(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const named = withSharedNames(
      await parseBody(nativeCompletionRequest, dropNulls(request.body)),
    );
    rejectUnsupportedParameters(named, SUPPORTED);
    const served = await models.resolve("generation", named.model);
    const body = await withTokenBiases(named, served.texts);
    checkSlot(body, served.engine);
    const requests = toGenerations(body, `native-${randomUUID()}`);
    const caller = callerOf(request, reply);
    const { events } = await served.generations.submitAll(requests, caller);
    const origin = originOf(body, served, requests);
    if (!body.stream) {
      const answers = await toNativeCompletions(
        events,
        origin,
        body.return_tokens ? "reported" : "left-out",
      );
      const picked = answers?.map((answer) => pickFields(answer, body.response_fields));
      return reply.send(picked?.length === 1 ? picked[0] : picked);
    }
    await sendEventStream(reply, toNativePieces(events, origin), {
      format: FORMAT,
      printError: (error) => toErrorEnvelope(error, request.id),
      signal: caller.signal,
      pingAfterMs,
    });
    return reply;
  }
}

function parseQuery<Schema extends z.ZodType>(schema: Schema, query: unknown): z.output<Schema> {
  return parseInput(schema, query, { code: "invalid_request", inputName: "query" });
}

/** @throws {GgufdError} `invalid_request` for a slot that does not exist */
function checkSlot(
  { id_slot: slot = ANY_SLOT }: SharedRequest,
  { slots }: EngineDescription,
): void {
  if (slot < slots) return;
  const reason = `expected an integer from ${ANY_SLOT} to ${slots - 1}, got ${slot}`;
  throw refusalOf("invalid_request", [{ field: "id_slot", reason }]);
}

function originOf(
  body: SharedRequest,
  { alias, engine, texts }: GenerationModel,
  requests: readonly RawGenerationRequest[],
): AnswerOrigin {
  return {
    model: alias,
    settings: toSettings(body, engine),
    probabilities: body.post_sampling_probs ? "after-sampling" : "of-the-model",
    promptOf: async (answer) => {
      const request = requests[Math.floor(answer / answersPerPrompt(body))];
      assert(request !== undefined, "every answer continues a prompt");
      const evaluated = await texts.ask({ type: "evaluated-text", prompt: request.prompt });
      assert(evaluated.type === "text", "a prompt's tokens have a text");
      return evaluated.text;
    },
  };
}
