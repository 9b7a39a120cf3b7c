import { randomUUID } from "node:crypto";
import { access } from "../../../core/api-keys.js";
import { createRefusal } from "../../../core/errors.js";
import { buildCaller } from "../../../http/caller.js";
import { DATA_EVENTS, sendEventStream } from "../../../http/event-stream.js";
import { readFormBodies } from "../../../http/form-body.js";
import { parseBody } from "../../../validation/parse-body.js";
import { collectAnswer } from "../../answers/collected-answer.js";
import { createLoadingReporter } from "../../answers/loading-reporter.js";
import type {
  AnswerContext,
  DescribedGroup,
  DescribedRoute,
} from "../../description/described-route.js";
import { formBody } from "../../description/request-body.js";
import { JSON_TYPE, response } from "../../description/responses.js";
import {
  chatErrors,
  inferenceTag,
  modelErrors,
  openAiErrorFormat,
  queueErrors,
} from "../../fields/described-errors.js";
import { toErrorEnvelope } from "../../fields/error-envelope.js";
import {
  toAudioUsage,
  toVerboseTranscription,
  transcription,
  verboseTranscription,
} from "./answer.js";
import { exampleEvent, exampleTranscription, exampleVerbose } from "./examples.js";
import { audioRequest, dropEmptyFields, FILE_FIELD, rejectUnsupportedFields } from "./request.js";
import { toTranscriptEvents, transcriptEvent } from "./stream.js";
import { type AudioTask, requireAudioInput, toGenerationRequest } from "./translate.js";

const answerDescription = `The text in the format of \`response_format\`, or server-sent events with \`stream\`: lines \`data: {…}\` with one JSON value,
each followed by an empty line. The event before \`data: [DONE]\` has the whole text and the usage. If an error occurs after the first event,
it is the last one.`;

/** Dependencies of the audio routes. */
export interface AudioContext extends AnswerContext {
  readonly maxFileBytes: number;
}

interface AudioRoute {
  readonly task: AudioTask;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
}

const createAudioRoute = ({
  task,
  path,
  ...described
}: AudioRoute): DescribedRoute<AnswerContext> => ({
  method: "POST",
  path,
  access: access.answer,
  cost: "expensive",
  operation: "chat",
  bodyType: "multipart/form-data",
  description: {
    ...described,
    requestBody: formBody(audioRequest, { file: "(a WAV file)", model: "ultravox" }),
    responses: {
      200: response({
        description: answerDescription,
        content: {
          [JSON_TYPE]: {
            schema: transcription.or(verboseTranscription),
            examples: {
              json: { value: exampleTranscription },
              verbose_json: { value: exampleVerbose(task) },
            },
          },
          "text/plain": { schema: transcription.shape.text, example: exampleTranscription.text },
          "text/event-stream": { schema: transcriptEvent, example: exampleEvent },
        },
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        { field: FILE_FIELD, reason: "expected a file, got nothing" },
      ]),
      createRefusal("unsupported_parameter", [
        {
          field: "timestamp_granularities[]",
          reason: 'expected no such field, because models give no timestamps, got "word"',
        },
      ]),
      ...chatErrors,
      ...modelErrors,
      ...queueErrors,
    ],
  },
  async handle({ models, pingAfterMs }, request, reply) {
    const body = await parseBody(audioRequest, dropEmptyFields(request.body));
    rejectUnsupportedFields(body);
    const caller = buildCaller(request, reply);
    const begin = async () => {
      const served = await models.resolve("generation", body.model, caller);
      requireAudioInput(served);
      const { engine, generations } = served;
      const generationRequest = toGenerationRequest(body, `audio-${randomUUID()}`, {
        task,
        engine,
      });
      return (await generations.submit([generationRequest], caller)).events;
    };
    if (body.stream) {
      await sendEventStream(reply, begin().then(toTranscriptEvents), {
        format: DATA_EVENTS,
        printError: (error) => toErrorEnvelope(error, request.id),
        signal: caller.signal,
        pingAfterMs,
        describeWait: createLoadingReporter(models, body.model),
      });
      return reply;
    }
    const wholeAnswer = await collectAnswer(await begin());
    if (wholeAnswer === undefined) return reply.send();
    const { text } = wholeAnswer.answer;
    switch (body.response_format) {
      case "text":
        return reply.type("text/plain; charset=utf-8").send(text);
      case "verbose_json":
        return reply.send(toVerboseTranscription(text, task, body));
      default:
        return reply.send({ text, usage: toAudioUsage(wholeAnswer.finished.usage) });
    }
  },
});

/** OpenAI's transcriptions and translations of audio, whose requests are forms. */
export const audioGroup: DescribedGroup<AudioContext> = {
  tag: inferenceTag,
  errors: openAiErrorFormat,
  setUp: (scope, { maxFileBytes }) =>
    readFormBodies(scope, { fileField: FILE_FIELD, maxFileBytes }),
  routes: [
    createAudioRoute({
      task: "transcribe",
      path: "/v1/audio/transcriptions",
      operationId: "createTranscription",
      summary: "Transcribe audio",
      description:
        "Transcribes audio with a model that has audio input. The model receives a message that asks for the transcription, followed by the audio, as in llama-server.",
    }),
    createAudioRoute({
      task: "translate",
      path: "/v1/audio/translations",
      operationId: "createTranslation",
      summary: "Translate audio to English",
      description: "Like a transcription, but asks the model for English text.",
    }),
  ],
};
