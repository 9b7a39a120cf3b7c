import { randomUUID } from "node:crypto";
import { access } from "../../../core/api-keys.js";
import type { Caller } from "../../../core/caller.js";
import type { TextService } from "../../../core/text-question.js";
import { buildCaller } from "../../../http/caller.js";
import { DATA_EVENTS } from "../../../http/event-stream.js";
import { openAnswerStream } from "../../../http/resumable-answer.js";
import { parseBody } from "../../../validation/parse-body.js";
import { createLoadingReporter } from "../../answers/loading-reporter.js";
import { resumableParams } from "../../description/conversation-header.js";
import type { AnswerContext, DescribedRoute } from "../../description/described-route.js";
import { jsonBodyWith } from "../../description/request-body.js";
import { JSON_TYPE, response } from "../../description/responses.js";
import { generationErrors, promptLengthError } from "../../fields/described-errors.js";
import { toErrorEnvelope } from "../../fields/error-envelope.js";
import { toUsageReporting } from "../../fields/generation-fields.js";
import { selectGenerations } from "../../fields/lora.js";
import { dropNulls } from "../../fields/nulls.js";
import { rejectUnsupportedParameters } from "../../fields/unsupported-parameters.js";
import { createIdentity } from "../completion-identity.js";
import { textCompletion, toTextCompletion } from "./answer.js";
import { exampleChunk, exampleCompletion, exampleRequest, exampleScoring } from "./examples.js";
import {
  type CompletionPlan,
  type CompletionPrompt,
  textCompletionRequest,
  toCompletionPlan,
} from "./request.js";
import { textCompletionEvent, toTextChunks } from "./stream.js";

/** OpenAI's legacy completions endpoint. */
export const textCompletionRoute: DescribedRoute<AnswerContext> = {
  method: "POST",
  path: "/v1/completions",
  access: access.answer,
  cost: "expensive",
  operation: "text_completion",
  description: {
    operationId: "createCompletion",
    summary: "Create a completion",
    description: `Continues one or several prompts without the chat template and returns plain text. Control tokens in a prompt are
parsed. Several prompts run concurrently, and their completions are numbered consecutively. Streams are server-sent events, as for
chat completions. With \`echo\` and \`logprobs\`, the prompt's tokens have log-probabilities too; with \`max_tokens: 0\`, only the
prompt's tokens have them.`,
    requestParams: resumableParams,
    requestBody: jsonBodyWith(textCompletionRequest, {
      whole: { summary: "A completion", value: exampleRequest },
      scored: { summary: "Log-probabilities of a prompt", value: exampleScoring },
    }),
    responses: {
      200: response({
        description: "The completions, or server-sent events with `stream`.",
        content: {
          [JSON_TYPE]: { schema: textCompletion, example: exampleCompletion },
          "text/event-stream": { schema: textCompletionEvent, example: exampleChunk },
        },
      }),
    },
    errors: [...generationErrors, promptLengthError],
  },
  async handle({ models, pingAfterMs, streams }, request, reply) {
    const body = await parseBody(textCompletionRequest, dropNulls(request.body));
    rejectUnsupportedParameters(body, ["best_of", "echo"]);
    const begin = async (caller: Caller) => {
      const served = await models.resolve("generation", body.model, caller);
      const identity = createIdentity(served, `cmpl-${randomUUID()}`);
      const plan = toCompletionPlan(body, identity.id);
      const { events } = await selectGenerations(body, served).submit(plan.requests, caller);
      return [events, identity, plan, await resolveEchoes(plan, served.texts)] as const;
    };
    if (!body.stream) {
      const begun = await begin(buildCaller(request, reply));
      return reply.send(await toTextCompletion(...begun));
    }
    const stream = openAnswerStream(request, reply, streams);
    const chunks = begin(stream.caller).then((begun) =>
      toTextChunks(...begun, toUsageReporting(body)),
    );
    return stream.send(chunks, {
      format: DATA_EVENTS,
      printError: (error) => toErrorEnvelope(error, request.id),
      pingAfterMs,
      describeWait: createLoadingReporter(models, body.model),
    });
  },
};

/**
 * Returns the text that the completions of each prompt begin with: empty, or the prompt,
 * detokenised if it was sent as token ids.
 */
function resolveEchoes(
  { echo, requests }: CompletionPlan,
  texts: TextService,
): Promise<readonly string[]> {
  return Promise.all(
    requests.map(({ prompt }) => (echo === "none" ? "" : readPromptText(prompt, texts))),
  );
}

async function readPromptText(prompt: CompletionPrompt, texts: TextService): Promise<string> {
  switch (prompt.type) {
    case "text":
      return prompt.text;
    case "infill":
      return prompt.prefix;
    case "tokens": {
      const answer = await texts.ask({ type: "detokenize", tokens: prompt.tokens });
      return answer.type === "text" ? answer.text : "";
    }
  }
}
