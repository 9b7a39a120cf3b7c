import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { access } from "../../core/api-keys.js";
import type { Caller } from "../../core/caller.js";
import { createRefusal } from "../../core/errors.js";
import type { RawGenerationRequest } from "../../core/generation-request.js";
import type { GenerationModel } from "../../core/model-directory.js";
import { countNumberedSlots } from "../../core/replicas.js";
import { buildCaller } from "../../http/caller.js";
import { DATA_EVENTS } from "../../http/event-stream.js";
import { openAnswerStream } from "../../http/resumable-answer.js";
import { parseBody } from "../../validation/parse-body.js";
import { parseInput } from "../../validation/parse-input.js";
import { createLoadingReporter } from "../answers/loading-reporter.js";
import { resumableParams } from "../description/conversation-header.js";
import type { AnswerContext, DescribedRoute } from "../description/described-route.js";
import { jsonBody } from "../description/request-body.js";
import { JSON_TYPE, jsonResponse, response } from "../description/responses.js";
import {
  generationErrors,
  modelErrors,
  promptLengthError,
  queueErrors,
} from "../fields/described-errors.js";
import { openAiError, toErrorEnvelope } from "../fields/error-envelope.js";
import { selectGenerations } from "../fields/lora.js";
import { dropNulls } from "../fields/nulls.js";
import { rejectUnsupportedParameters } from "../fields/unsupported-parameters.js";
import { findModelToShow, type ModelsContext } from "../models/listed-models.js";
import {
  type AnswerOrigin,
  nativeCompletion,
  nativeCompletions,
  pickFields,
  toNativeCompletions,
  toSettings,
} from "./answer.js";
import { exampleAnswer, examplePiece, exampleRequest } from "./examples.js";
import { withMarkers } from "./media-prompt.js";
import { withSharedNames, withTokenBiases } from "./parameters.js";
import {
  type LoadRules,
  nativeProps,
  propsQuery,
  toProps,
  toRouterFacts,
  toRouterProps,
  toUnloadedProps,
} from "./props.js";
import {
  ANY_SLOT,
  countAnswersPerPrompt,
  nativeCompletionRequest,
  type SharedRequest,
  toGenerations,
} from "./request.js";
import { nativePiece, toNativePieces } from "./stream.js";

/** Dependencies of the llama-server routes. */
export interface LlamaServerContext extends AnswerContext, ModelsContext {
  /** Package version of ggufd. */
  readonly version: string;
  readonly loadRules: LoadRules;
}

/** llama-server's streams end with their last piece, without a terminator. */
const FORMAT = { ...DATA_EVENTS, terminator: "" };

const SUPPORTED_PARAMETERS = ["n_probs", "post_sampling_probs"];

const nativeEvent = z
  .union([nativePiece, nativeCompletion, openAiError])
  .meta({ id: "NativeEvent" });

const createCompletionRoute = (
  path: string,
  operationId: string,
  summary: string,
): DescribedRoute<AnswerContext> => ({
  method: "POST",
  path,
  access: access.answer,
  cost: "expensive",
  operation: "text_completion",
  description: {
    operationId,
    summary,
    description: `Continues one or several prompts without the chat template, with llama-server's parameters and answers. Streams are
server-sent events; the last one of each answer has \`stop: true\`.`,
    requestParams: resumableParams,
    requestBody: jsonBody(nativeCompletionRequest, exampleRequest),
    responses: {
      200: response({
        description:
          "The answer, a list of answers for several prompts, or server-sent events with `stream`. `response_fields` limits the fields of an answer.",
        content: {
          [JSON_TYPE]: { schema: nativeCompletions, example: exampleAnswer },
          "text/event-stream": { schema: nativeEvent, example: examplePiece },
        },
      }),
    },
    errors: [...generationErrors, promptLengthError],
  },
  async handle({ models, pingAfterMs, streams }, request, reply) {
    const normalisedBody = withSharedNames(
      await parseBody(nativeCompletionRequest, dropNulls(request.body)),
    );
    rejectUnsupportedParameters(normalisedBody, SUPPORTED_PARAMETERS);
    const begin = async (caller: Caller) => {
      const served = await models.resolve("generation", normalisedBody.model, caller);
      const body = await withTokenBiases(normalisedBody, served.texts);
      checkSlot(body, served);
      const requests = toGenerations(body, `native-${randomUUID()}`);
      const { events } = await selectGenerations(body, served).submit(requests, caller);
      return [events, buildOrigin(body, served, requests)] as const;
    };
    if (!normalisedBody.stream) {
      const [events, origin] = await begin(buildCaller(request, reply));
      const answers = await toNativeCompletions(
        events,
        origin,
        normalisedBody.return_tokens ? "reported" : "left-out",
      );
      const selectedAnswers = answers?.map((answer) =>
        pickFields(answer, normalisedBody.response_fields),
      );
      return reply.send(selectedAnswers?.length === 1 ? selectedAnswers[0] : selectedAnswers);
    }
    const stream = openAnswerStream(request, reply, streams);
    const pieces = begin(stream.caller).then((begun) => toNativePieces(...begun));
    return stream.send(pieces, {
      format: FORMAT,
      printError: (error) => toErrorEnvelope(error, request.id),
      pingAfterMs,
      describeWait: createLoadingReporter(models, normalisedBody.model),
    });
  },
});

const propsRoute: DescribedRoute<LlamaServerContext> = {
  method: "GET",
  path: "/props",
  access: access.inference,
  description: {
    operationId: "getProps",
    summary: "Get the properties of the server (llama-server)",
    description: "Does not load a model, unless `autoload` is set.",
    requestParams: { query: propsQuery },
    responses: {
      200: jsonResponse({
        description: "Properties of the server and a model.",
        schema: nativeProps,
        example: {
          role: "router",
          max_instances: 0,
          models_autoload: true,
          default_generation_settings: {
            n_ctx: 2048,
            params: {
              seed: 4294967295,
              temperature: 0.8,
              top_k: 40,
              top_p: 0.95,
              min_p: 0.05,
              max_tokens: -1,
              n_predict: -1,
            },
          },
          total_slots: 16,
          model_alias: "ggufd-mini",
          model_path: "ggufd-mini.gguf",
          chat_template: "{% for message in messages %}{{ message.content }}{% endfor %}",
          modalities: { vision: false, video: false, audio: false },
          media_marker: "<__media__>",
          build_info: "ggufd 1.0.0",
          is_sleeping: false,
        },
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        { field: "model", reason: 'expected a non-empty string, got ""' },
      ]),
      ...modelErrors,
      ...queueErrors,
    ],
  },
  async handle(context, request, reply) {
    const { library, loadRules, models, version } = context;
    const { model, autoload } = parseInput(propsQuery, request.query, {
      code: "invalid_request",
      inputName: "query",
    });
    const allModels = model === undefined ? await library.list() : [];
    const hasDefault =
      allModels.length === 0 || allModels.some(({ from }) => from === "configured");
    if (!hasDefault) return toRouterProps(version, loadRules);
    if (autoload === "loads") await models.find(model, buildCaller(request, reply));
    const { alias, loaded } =
      model === undefined ? models.findEntry(model) : await findModelToShow(context, model);
    const props = loaded === undefined ? toUnloadedProps(alias, version) : toProps(loaded, version);
    return allModels.length > 1 ? { ...toRouterFacts(loadRules), ...props } : props;
  },
};

/** llama-server's native completions and properties. */
export const nativeRoutes: readonly DescribedRoute<LlamaServerContext>[] = [
  createCompletionRoute("/completion", "complete", "Create a completion (llama-server)"),
  createCompletionRoute("/completions", "completeToo", "Same as `/completion`"),
  propsRoute,
];

/** @throws {GgufdError} `invalid_request` for a slot that does not exist */
function checkSlot({ id_slot: slot = ANY_SLOT }: SharedRequest, model: GenerationModel): void {
  const slots = countNumberedSlots(model);
  if (slot < slots) return;
  const reason = `expected an integer from ${ANY_SLOT} to ${slots - 1}, got ${slot}`;
  throw createRefusal("invalid_request", [{ field: "id_slot", reason }]);
}

function buildOrigin(
  body: SharedRequest,
  { alias, engine, texts }: GenerationModel,
  requests: readonly RawGenerationRequest[],
): AnswerOrigin {
  const evaluatedTexts = new Map<number, Promise<string>>();
  async function readEvaluatedText(index: number): Promise<string> {
    const request = requests[index];
    assert(request !== undefined, `no prompt with the index ${index}`);
    const prompt = withMarkers(request.prompt);
    const evaluated = await texts.ask({ type: "evaluated-text", prompt });
    assert(evaluated.type === "text", `expected an answer of type text, got ${evaluated.type}`);
    return evaluated.text;
  }
  return {
    model: alias,
    settings: toSettings(body, engine),
    probabilities: body.post_sampling_probs ? "after-sampling" : "of-the-model",
    promptOf: (answer) => {
      const prompt = Math.floor(answer / countAnswersPerPrompt(body));
      const text = evaluatedTexts.get(prompt) ?? readEvaluatedText(prompt);
      evaluatedTexts.set(prompt, text);
      return text;
    },
  };
}
