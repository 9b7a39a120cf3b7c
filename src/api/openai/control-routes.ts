import { z } from "zod";
import { access } from "../../core/api-keys.js";
import { createRefusal } from "../../core/errors.js";
import { parseBody } from "../../validation/parse-body.js";
import type { DescribedRoute } from "../description/described-route.js";
import { jsonBody } from "../description/request-body.js";
import { jsonResponse } from "../description/responses.js";
import { createNotRunningError, type RunningCompletions } from "./running-completions.js";

/** Dependencies of the routes of running chat completions. */
export interface CompletionsContext {
  readonly completions: RunningCompletions;
}

const ACTIONS = ["reasoning_end"] as const;

const actionError = `expected one of ${ACTIONS.join(", ")}`;

const idError = "expected the id of a chat completion, a non-empty string";

/** Body of `POST /v1/chat/completions/control`. */
export const controlRequest = z
  .looseObject(
    {
      id: z.string({ error: idError }).min(1, { error: idError }).meta({
        description: "The `id` of the running completion, from its first chunk.",
      }),
      action: z.enum(ACTIONS, { error: actionError }).meta({
        description: "`reasoning_end`: closes the reasoning, so that the answer follows.",
      }),
    },
    { error: "expected a JSON object with id and action" },
  )
  .meta({ id: "ControlRequest" });

const success = z.object({ success: z.literal(true) }).meta({ id: "ControlSuccess" });

const exampleId = "chatcmpl-1";

/** llama-server's route to control a running chat completion. */
export const controlRoute: DescribedRoute<CompletionsContext> = {
  method: "POST",
  path: "/v1/chat/completions/control",
  access: access.inference,
  description: {
    operationId: "controlChatCompletion",
    summary: "End the reasoning of a running chat completion (llama-server)",
    description:
      "The completion must have been requested with `reasoning_control`, by the same API key. All of its choices end their reasoning.",
    requestBody: jsonBody(controlRequest, { id: exampleId, action: "reasoning_end" }),
    responses: {
      200: jsonResponse({
        description: "The reasoning ends after the next token.",
        schema: success,
        example: { success: true },
      }),
    },
    errors: [
      createRefusal("invalid_request", [{ field: "action", reason: `${actionError}, got "stop"` }]),
      createNotRunningError(exampleId),
    ],
  },
  async handle({ completions }, request) {
    const { id } = await parseBody(controlRequest, request.body);
    await completions.endReasoning(request.keyName ?? "", id);
    return { success: true };
  },
};
