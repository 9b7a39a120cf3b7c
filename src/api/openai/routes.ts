import { randomUUID } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { access, isFromOperator, type KeyHolder, mayChangeModels } from "../../core/api-keys.js";
import type { Caller } from "../../core/caller.js";
import { createRefusal, GgufdError } from "../../core/errors.js";
import { buildCaller } from "../../http/caller.js";
import { DATA_EVENTS } from "../../http/event-stream.js";
import { addVary } from "../../http/response-headers.js";
import { openAnswerStream } from "../../http/resumable-answer.js";
import { parseBody } from "../../validation/parse-body.js";
import { parseInput } from "../../validation/parse-input.js";
import { createLoadingReporter } from "../answers/loading-reporter.js";
import { resumableParams } from "../description/conversation-header.js";
import type { AnswerContext, DescribedRoute } from "../description/described-route.js";
import { internalError, invalidCursor } from "../description/example-errors.js";
import { jsonBody, jsonBodyWith } from "../description/request-body.js";
import { JSON_TYPE, jsonResponse, response } from "../description/responses.js";
import {
  chatErrors,
  generationErrors,
  modelErrors,
  noModelErrors,
  preparationErrors,
} from "../fields/described-errors.js";
import { toErrorEnvelope } from "../fields/error-envelope.js";
import { toUsageReporting } from "../fields/generation-fields.js";
import { applyHostedToolPolicy, type HostedToolContext } from "../fields/hosted-tools.js";
import { selectGenerations } from "../fields/lora.js";
import { dropNulls } from "../fields/nulls.js";
import { rejectUnsupportedParameters } from "../fields/unsupported-parameters.js";
import { inputTokenCount } from "../fields/usage.js";
import {
  ANTHROPIC_VERSION,
  anthropicCursors,
  anthropicListQuery,
  isFromAnthropicClient,
  toAnthropicModel,
  toAnthropicModelList,
} from "../models/anthropic-models.js";
import { findModelToShow, listAllModels, type ModelsContext } from "../models/listed-models.js";
import type { ReasonDetail } from "../models/load-failure.js";
import { model, modelList, modelListQuery, toModelList, toNamedModel } from "../models/models.js";
import { chatCompletion, toCompletion } from "./answer.js";
import { createIdentity } from "./completion-identity.js";
import { type CompletionsContext, controlRoute } from "./control-routes.js";
import { exampleChunk, exampleCompletion, exampleModel, exampleRequest } from "./examples.js";
import { type ChatCompletionRequest, chatCompletionRequest } from "./schema.js";
import { chatCompletionEvent, toChunks } from "./stream.js";
import { callReportingOf } from "./tool-calls.js";
import { toGenerationRequest } from "./translate.js";
import { listHostedTools } from "./translate-tools.js";

const modelPath = z.object({
  id: z.string().meta({ description: "Name of the model.", example: "ggufd-mini" }),
});

const completionDescription = `The completion, or server-sent events with \`stream\`. Each event is a line \`data: {…}\` with one JSON value, a
\`ChatCompletionChunk\`, followed by an empty line. Lines that begin with a colon are comments. The last event is \`data: [DONE]\`. If an
error occurs after the first event, the last event is \`data: {"error":{…}}\` instead.

\`\`\`
data: {"id":"chatcmpl-1","object":"chat.completion.chunk",…,"choices":[{"index":0,"delta":{"role":"assistant","content":"I"},…}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk",…,"choices":[{"index":0,"delta":{},"finish_reason":"stop",…}],"timings":{…}}

data: [DONE]
\`\`\``;

const requestDescription = `Generates an answer to a conversation, at once or as a stream, in OpenAI's format. Unsupported parameters, such as
\`prompt_logprobs\`, \`use_beam_search\` and audio output, are rejected with an error that names them, unless their value has no
effect. Models with image or audio input accept such parts in user messages and tool results; all models accept text files.`;

type ChatContext = AnswerContext & CompletionsContext & HostedToolContext;

const chatCompletionRoute: DescribedRoute<ChatContext> = {
  method: "POST",
  path: "/v1/chat/completions",
  access: access.answer,
  cost: "expensive",
  operation: "chat",
  description: {
    operationId: "createChatCompletion",
    summary: "Create a chat completion",
    description: requestDescription,
    requestParams: resumableParams,
    requestBody: jsonBodyWith(chatCompletionRequest, {
      whole: { summary: "A completion", value: exampleRequest },
      stream: {
        summary: "A stream with its usage",
        value: { ...exampleRequest, stream: true, stream_options: { include_usage: true } },
      },
    }),
    responses: {
      200: response({
        description: completionDescription,
        content: {
          [JSON_TYPE]: { schema: chatCompletion, example: exampleCompletion },
          "text/event-stream": { schema: chatCompletionEvent, example: exampleChunk },
        },
      }),
    },
    errors: [...generationErrors, ...chatErrors],
  },
  async handle(context, request, reply) {
    const { models, pingAfterMs, streams, completions } = context;
    const body = await parse(request, context);
    const begin = async (caller: Caller) => {
      const served = await models.resolve("generation", body.model, caller);
      const identity = createIdentity(served, `chatcmpl-${randomUUID()}`);
      const generation = toGenerationRequest(body, identity.id);
      const { events } = await selectGenerations(body, served).submit([generation], caller);
      const remove = completions.add(identity.id, {
        owner: caller.keyName ?? "",
        reasoning: generation.reasoningControl === undefined ? "uncontrolled" : "controlled",
        endReasoning: () => served.endReasoning(generation.id),
      });
      caller.onEnd(remove);
      return { events, identity };
    };
    const calls = callReportingOf(body);
    if (!body.stream) {
      const { events, identity } = await begin(buildCaller(request, reply));
      return reply.send(await toCompletion(events, identity, calls));
    }
    const fields = { calls, usage: toUsageReporting(body) };
    const stream = openAnswerStream(request, reply, streams);
    const chunks = begin(stream.caller).then(({ events, identity }) =>
      toChunks(events, identity, fields),
    );
    return stream.send(chunks, {
      format: DATA_EVENTS,
      printError: (error) => toErrorEnvelope(error, request.id),
      pingAfterMs,
      describeWait: createLoadingReporter(models, body.model),
    });
  },
};

const countChatTokensRoute: DescribedRoute<AnswerContext & HostedToolContext> = {
  method: "POST",
  path: "/v1/chat/completions/input_tokens",
  access: access.inference,
  cost: "expensive",
  description: {
    operationId: "countChatTokens",
    summary: "Count the tokens of a chat completion",
    description: "Renders and tokenises a conversation without generating an answer.",
    requestBody: jsonBody(chatCompletionRequest, exampleRequest),
    responses: {
      200: jsonResponse({
        description: "The number of prompt tokens.",
        schema: inputTokenCount,
        example: { object: "response.input_tokens", input_tokens: 14 },
      }),
    },
    errors: [...preparationErrors, ...chatErrors],
  },
  async handle(context, request, reply) {
    const body = await parse(request, context);
    const caller = buildCaller(request, reply);
    const served = await context.models.resolve("generation", body.model, caller);
    const countRequest = toGenerationRequest(body, `tokens-${randomUUID()}`);
    const tokens = await selectGenerations(body, served).countTokens(countRequest, caller);
    return { object: "response.input_tokens", input_tokens: tokens };
  },
};

const versionHeader = z.object({
  [ANTHROPIC_VERSION]: z.string().optional().meta({
    description: "Any value: answers and errors are in Anthropic's format.",
  }),
});

const listModelsRoute: DescribedRoute<ModelsContext> = {
  method: "GET",
  path: "/v1/models",
  access: access.anyKey,
  description: {
    operationId: "listModels",
    summary: "List the models",
    description:
      "Lists all available models, loaded or not, and models being downloaded, in the format of OpenAI and llama-server, or in Anthropic's for requests with `anthropic-version`.",
    requestParams: { query: modelListQuery.extend(anthropicCursors), header: versionHeader },
    responses: {
      200: jsonResponse({
        description: "The models.",
        schema: modelList,
        example: {
          object: "list",
          data: [exampleModel],
          pagination: { next_cursor: null, has_more: false },
          default_model: exampleModel.id,
          can_download: true,
          models: [
            {
              name: exampleModel.id,
              model: exampleModel.id,
              type: "model",
              capabilities: ["completion"],
              details: { format: "gguf" },
            },
          ],
        },
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        { field: "limit", reason: 'expected an integer from 1 to 100, got "1000"' },
      ]),
      invalidCursor,
      internalError,
      ...noModelErrors,
    ],
  },
  async handle(context, request, reply) {
    addVary(reply, ANTHROPIC_VERSION);
    if (isFromAnthropicClient(request.headers)) {
      const page = parseInput(anthropicListQuery, request.query, {
        code: "invalid_request",
        inputName: "query",
      });
      const listed = await listAllModels(context, { reasons: "without-paths", hasDetails: false });
      return toAnthropicModelList(listed, page);
    }
    const page = parseInput(modelListQuery, request.query, {
      code: "invalid_request",
      inputName: "query",
    });
    if (page.reload && mayChangeModels(request)) await context.library.reload();
    const { models, library } = context;
    const options = { reasons: reasonDetailFor(request), hasDetails: page.details ?? false };
    return toModelList(await listAllModels(context, options), page, {
      default_model: models.findDefault("generation")?.alias ?? null,
      can_download: library.canPull && mayChangeModels(request),
    });
  },
};

const getModelRoute: DescribedRoute<ModelsContext> = {
  method: "GET",
  path: "/v1/models/{id}",
  access: access.anyKey,
  description: {
    operationId: "getModel",
    summary: "Get a model",
    requestParams: { path: modelPath, header: versionHeader },
    responses: {
      200: jsonResponse({
        description: "The model.",
        schema: model,
        example: exampleModel,
      }),
    },
    errors: [
      new GgufdError("invalid_request", "'/v1/models/%E0%A4%A' is not a valid url component"),
      ...modelErrors,
    ],
  },
  async handle(context, request, reply) {
    addVary(reply, ANTHROPIC_VERSION);
    const { id } = request.params as z.output<typeof modelPath>;
    const shownModel = toNamedModel(
      await findModelToShow(context, id),
      id,
      reasonDetailFor(request),
    );
    return isFromAnthropicClient(request.headers) ? toAnthropicModel(shownModel) : shownModel;
  },
};

function reasonDetailFor(holder: KeyHolder): ReasonDetail {
  return isFromOperator(holder) ? "full" : "without-paths";
}

async function parse(
  { body, log }: FastifyRequest,
  { hostedTools }: HostedToolContext,
): Promise<ChatCompletionRequest> {
  const parsed = await parseBody(chatCompletionRequest, dropNulls(body));
  rejectUnsupportedParameters(parsed, ["web_search_options"]);
  applyHostedToolPolicy(listHostedTools(parsed), hostedTools, log);
  return parsed;
}

/** OpenAI's chat completions and models, and the token count of a chat. */
export const openAiRoutes: readonly DescribedRoute<
  AnswerContext & CompletionsContext & HostedToolContext & ModelsContext
>[] = [chatCompletionRoute, controlRoute, countChatTokensRoute, listModelsRoute, getModelRoute];
