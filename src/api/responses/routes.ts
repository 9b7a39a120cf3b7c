import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { access, mayCallTools } from "../../core/api-keys.js";
import type { Caller } from "../../core/caller.js";
import { GgufdError } from "../../core/errors.js";
import type { GenerationModel } from "../../core/model-directory.js";
import { settlesWithin } from "../../core/settles-within.js";
import { buildCaller } from "../../http/caller.js";
import { detachAnswer } from "../../http/detached-answer.js";
import { logServerError } from "../../http/error-handler.js";
import { NAMED_EVENTS, sendEventStream } from "../../http/event-stream.js";
import { parseBody } from "../../validation/parse-body.js";
import { createLoadingReporter } from "../answers/loading-reporter.js";
import type { DescribedGroup, DescribedRoute } from "../description/described-route.js";
import { jsonBody, jsonBodyWith } from "../description/request-body.js";
import { jsonResponse, response } from "../description/responses.js";
import {
  chatErrors,
  generationErrors,
  openAiErrorFormat,
  preparationErrors,
} from "../fields/described-errors.js";
import { applyHostedToolPolicy } from "../fields/hosted-tools.js";
import { dropNulls } from "../fields/nulls.js";
import { ownerOf } from "../fields/owner.js";
import { inputTokenCount } from "../fields/usage.js";
import { toErrorEvent, toResponse, toResponseEvents } from "./answer.js";
import { conversationRoutes } from "./conversation-routes.js";
import { itemNotFound, lockedConversation, quotaError, responseContent } from "./description.js";
import { EventLog } from "./event-log.js";
import { mcpServersRoute } from "./mcp-routes.js";
import { isMcpTool, type SelectedServer, selectServers } from "./mcp-tools.js";
import type { PreparedResponse, ResponsesContext } from "./responses.js";
import { MAX_CALLS, type RunEvent, runTools } from "./run-tools.js";
import { type ResponseRequest, rejectUnsupportedParameters, responseRequest } from "./schema.js";
import { sendEventLog, storedResponseRoutes } from "./stored-response-routes.js";
import { listHostedTools } from "./tools.js";
import { submitTruncated, type TruncatablePrompt } from "./truncation.js";

/** Time limit for storing the output of background responses at shutdown, in milliseconds. */
const ENDING_LIMIT_MS = 2000;

/** Path at which OpenAI's API compacts conversations. */
const COMPACT_PATH = "/v1/responses/compact";

const exampleRequest: z.input<typeof responseRequest> = {
  model: "ggufd-mini",
  input: "Hello! Who are you?",
};

/** Errors of a response's prompt. */
const promptErrors = [
  new GgufdError(
    "previous_response_not_found",
    "Previous response with id 'resp_1' not found: it was never stored, has been removed, or is not complete yet.",
    { param: "previous_response_id" },
  ),
  itemNotFound,
  ...chatErrors,
];

const createDescription = `Generates a response to text or to the items of a conversation, at once or as a stream. The response is stored in memory
unless \`store\` is false, and \`previous_response_id\` continues it. Storage is bounded: the least recently used responses are dropped first.
Tools are functions, custom tools, and OpenAI's shell and patch tools, which the client runs, and tools of the MCP servers that the operator has
configured, which this server calls. Hosted tools are left out of the prompt, or rejected with \`--hosted-tools refuse\`. Streams are numbered server-sent events named by their type; the last one is \`response.completed\`, \`response.incomplete\` or \`response.failed\`.`;

const createResponseRoute: DescribedRoute<ResponsesContext> = {
  method: "POST",
  path: "/v1/responses",
  access: access.answer,
  cost: "expensive",
  operation: "chat",
  description: {
    operationId: "createResponse",
    summary: "Create a response",
    description: createDescription,
    requestBody: jsonBodyWith(responseRequest, {
      whole: { summary: "A response", value: exampleRequest },
      next: {
        summary: "A follow-up, as a stream",
        value: { input: "Say that again.", previous_response_id: "resp_1b1c", stream: true },
      },
    }),
    responses: {
      200: response({
        description: "The response, or server-sent events with `stream`.",
        content: responseContent,
      }),
    },
    errors: [...generationErrors, ...promptErrors, lockedConversation, quotaError],
  },
  async handle(context, request, reply) {
    const { models, responses: allResponses, pingAfterMs, toolServers } = context;
    const body = await parse(request, context);
    const servers = await selectToolServers(body, request, context);
    const caller = buildCaller(request, reply);
    const responses = allResponses.of(ownerOf(request));
    const onFailed = (error: GgufdError) => logServerError(error, request);
    const open = responses.open(body);
    const begin = async (generationCaller: Caller) => {
      // Between its generations, only its caller keeps the model loaded.
      const holder = servers.length > 0 ? generationCaller : caller;
      const served = await models.resolve("generation", body.model, holder);
      const prepared = await responses.prepare(
        body,
        open,
        { model: served.alias, servers },
        onFailed,
      );
      const events =
        servers.length > 0
          ? await runWithTools(body, { served, prepared, servers, toolServers, generationCaller })
          : await submit(served, body, prepared.prompt, generationCaller);
      return { events, prepared };
    };
    if (body.background) {
      const { caller: detached, controller, settle } = detachAnswer(caller, request, reply);
      // No connection has received any part of the answer, and the server stores it.
      const begun = begin({ ...detached, decideAfterInterruption: () => "resumed" });
      begun.catch(() => {
        settle();
        open.close();
      });
      const log = body.stream ? new EventLog() : undefined;
      const { events, prepared } = await begun;
      responses.runInBackground({ ...prepared, events, controller, log, onSettled: settle });
      if (log === undefined) return prepared.printer.response;
      return sendEventLog(reply, { log, from: 0, pingAfterMs });
    }
    const hooksOf = (prepared: PreparedResponse) => ({
      onEnded: () => responses.keep(prepared),
      onFailed,
    });
    try {
      if (!body.stream) {
        const { events, prepared } = await begin(caller);
        return reply.send(await toResponse(events, prepared.printer, hooksOf(prepared)));
      }
      let nextNumber = () => 0;
      const responseEvents = begin(caller).then(({ events, prepared }) => {
        nextNumber = () => prepared.printer.nextNumber;
        return toResponseEvents(events, prepared.printer, hooksOf(prepared));
      });
      await sendEventStream(reply, responseEvents, {
        format: NAMED_EVENTS,
        printError: (error) => toErrorEvent(error, nextNumber()),
        signal: caller.signal,
        pingAfterMs,
        describeWait: createLoadingReporter(models, body.model),
      });
      return reply;
    } finally {
      open.close();
    }
  },
};

/** Submits a prompt, shortened if the request allows it. */
async function submit(
  served: GenerationModel,
  { truncation }: ResponseRequest,
  prompt: TruncatablePrompt,
  caller: Caller,
) {
  const { events } = await (truncation === "auto"
    ? submitTruncated(served, prompt, caller)
    : served.generations.submit([prompt.without(0)], caller));
  return events;
}

interface ToolRunParts extends Pick<ResponsesContext, "toolServers"> {
  readonly served: GenerationModel;
  readonly prepared: PreparedResponse;
  readonly servers: readonly SelectedServer[];
  readonly generationCaller: Caller;
}

/**
 * Begins a response that may call tools of MCP servers. Its first generation is submitted at once,
 * so that it can be refused, unless approved calls come first.
 */
async function runWithTools(
  body: ResponseRequest,
  { served, prepared, servers, toolServers, generationCaller }: ToolRunParts,
): Promise<AsyncIterable<{ readonly event: RunEvent }>> {
  const { printer, lists, approved, prompt, continuePrompt, recordCall } = prepared;
  const callerOf = (turn: number): Caller => ({
    ...generationCaller,
    // Each generation is an answer of the request.
    observe: (choice, stage) => generationCaller.observe(turn + choice, stage),
  });
  const first =
    approved.length === 0 ? await submit(served, body, prompt, generationCaller) : undefined;
  return runTools({
    output: () => printer.response.output,
    servers,
    lists,
    approved,
    first,
    submit: (turn, toolUse, outputTokens) =>
      submit(served, body, continuePrompt(turn, toolUse, outputTokens), callerOf(turn)),
    recordCall,
    maxCalls: Math.min(body.max_tool_calls ?? MAX_CALLS, MAX_CALLS),
    maxOutputTokens: body.max_output_tokens ?? Number.POSITIVE_INFINITY,
    callTimeoutMs: toolServers.callTimeoutMs,
    acceptsImages: served.engine.media?.includes("image") ?? false,
    signal: generationCaller.signal,
  });
}

/** Selects the MCP servers of a request, and lists their tools. */
function selectToolServers(
  { tools = [] }: ResponseRequest,
  request: FastifyRequest,
  { toolServers }: ResponsesContext,
): Promise<readonly SelectedServer[]> {
  return selectServers(tools, toolServers.servers, mayCallTools(request));
}

const countInputTokensRoute: DescribedRoute<ResponsesContext> = {
  method: "POST",
  path: "/v1/responses/input_tokens",
  access: access.inference,
  cost: "expensive",
  description: {
    operationId: "countInputTokens",
    summary: "Count the input tokens of a response",
    description: "Renders and tokenises the prompt of a response without generating an answer.",
    requestBody: jsonBody(responseRequest, exampleRequest),
    responses: {
      200: jsonResponse({
        description: "The number of prompt tokens.",
        schema: inputTokenCount,
        example: { object: "response.input_tokens", input_tokens: 14 },
      }),
    },
    errors: [...preparationErrors, ...promptErrors],
  },
  async handle(context, request, reply) {
    const body = await parse(request, context);
    const servers = await selectToolServers(body, request, context);
    const caller = buildCaller(request, reply);
    const { generations } = await context.models.resolve("generation", body.model, caller);
    const tokens = await generations.countTokens(
      context.responses.of(ownerOf(request)).toCountRequest(body, servers),
      caller,
    );
    return { object: "response.input_tokens", input_tokens: tokens };
  },
};

const compactRoute: DescribedRoute<ResponsesContext> = {
  method: "POST",
  path: COMPACT_PATH,
  access: access.inference,
  cost: "expensive",
  runs: "before-body",
  description: {
    operationId: "refuseCompaction",
    summary: "Compact a conversation (not supported)",
    description: "Not supported: always answered with an error.",
    responses: {},
    errors: [createCompactionError()],
  },
  handle: async () => {
    throw createCompactionError();
  },
};

/** OpenAI's Responses API: `/v1/responses`, `/v1/conversations`, and the paths below these. */
export const responsesGroup: DescribedGroup<ResponsesContext> = {
  tag: "Responses",
  about: "Stored responses and conversations, compatible with OpenAI's clients.",
  errors: openAiErrorFormat,
  setUp(scope, { responses }) {
    scope.addHook("preClose", async () => {
      await settlesWithin(responses.endAll(), ENDING_LIMIT_MS);
    });
  },
  routes: [
    createResponseRoute,
    countInputTokensRoute,
    compactRoute,
    mcpServersRoute,
    ...storedResponseRoutes,
    ...conversationRoutes,
  ],
};

async function parse(
  { body, log }: FastifyRequest,
  { hostedTools, toolServers }: ResponsesContext,
): Promise<ResponseRequest> {
  const parsed = await parseBody(responseRequest, dropNulls(body));
  rejectUnsupportedParameters(parsed);
  const runsMcp = toolServers.servers.length > 0;
  const hosted = listHostedTools(parsed.tools).filter((tool) => !(runsMcp && isMcpTool(tool)));
  applyHostedToolPolicy(hosted, hostedTools, log);
  return parsed;
}

/**
 * Creates the error for compaction, which is refused because a summary by this server's model would
 * silently replace the conversation.
 */
function createCompactionError(): GgufdError {
  return new GgufdError(
    "unsupported_operation",
    `POST ${COMPACT_PATH}: compaction is not supported; send the items to keep as input.`,
  );
}
