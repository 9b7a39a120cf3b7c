import {
  type Attributes,
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import {
  ATTR_CLIENT_ADDRESS,
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_URL_PATH,
} from "@opentelemetry/semantic-conventions";
import { errorCatalogue } from "../../core/errors.js";
import type { RequestBeginning } from "../../core/request-observer.js";
import type { RequestReporter } from "../record-requests.js";
import {
  type AnswerRecord,
  type AnswerTotals,
  computeTotals,
  errorCodeOf,
  type RequestRecord,
} from "../request-record.js";
import { parseTraceParent, printTraceParent } from "../trace-parent.js";

/**
 * Attribute names of OpenTelemetry's semantic conventions for generative AI, as of September 2026,
 * when they were in development: https://github.com/open-telemetry/semantic-conventions-genai. The
 * package of stable conventions does not contain them.
 */
const genAi = {
  operationName: "gen_ai.operation.name",
  providerName: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  choiceCount: "gen_ai.request.choice.count",
  finishReasons: "gen_ai.response.finish_reasons",
  /** In seconds. */
  timeToFirstChunk: "gen_ai.response.time_to_first_chunk",
  inputTokens: "gen_ai.usage.input_tokens",
  cachedInputTokens: "gen_ai.usage.cache_read.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  reasoningOutputTokens: "gen_ai.usage.reasoning.output_tokens",
} as const;

/** ggufd's attribute names, where the conventions define none. */
const ggufd = {
  requestId: "ggufd.request.id",
  keyName: "ggufd.api_key.name",
  batchId: "ggufd.batch.id",
  delivery: "ggufd.delivery",
  choice: "ggufd.choice",
} as const;

/** Routes polled every few seconds by machines, whose traces would outnumber all others. */
const PROBES: ReadonlySet<string> = new Set([
  "/health",
  "/health/live",
  "/health/ready",
  "/metrics",
]);

/** Provider name of all generated output. */
const PROVIDER = "ggufd";

/** Reports each request as a server span whose children are the phases of its answers. */
export function createSpanReporter(tracer: Tracer): RequestReporter {
  return {
    begin: (request, beganAtEpochMs) => {
      const { method, route } = request;
      if (route !== undefined && PROBES.has(route)) return { complete: () => undefined };
      const span = tracer.startSpan(
        route === undefined ? method : `${method} ${route}`,
        { kind: SpanKind.SERVER, startTime: beganAtEpochMs },
        createParentContext(request),
      );
      const { traceId, spanId, traceFlags } = span.spanContext();
      const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
      return {
        responseHeaders: { traceparent: printTraceParent({ traceId, spanId, isSampled }) },
        complete: (record) => {
          if (span.isRecording()) {
            describe(span, record);
            addPhases(tracer, span, record);
          }
          span.end(record.beganAtEpochMs + record.end.durationMs);
        },
      };
    },
  };
}

/** Uses the client's span as the parent, if the request names one. */
function createParentContext({ traceParent, traceState }: RequestBeginning): Context {
  const parent = parseTraceParent(traceParent);
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    ...(traceState !== undefined && { traceState: createTraceState(traceState) }),
  });
}

function describe(span: Span, record: RequestRecord): void {
  const { beginning, end, answers } = record;
  const { operation } = beginning;
  const totals = computeTotals(answers);
  span.setAttributes({
    [ATTR_HTTP_REQUEST_METHOD]: beginning.method,
    [ATTR_URL_PATH]: beginning.path,
    [ATTR_HTTP_ROUTE]: beginning.route,
    [ATTR_HTTP_RESPONSE_STATUS_CODE]: end.status,
    [ATTR_CLIENT_ADDRESS]: beginning.clientAddress,
    [ggufd.requestId]: beginning.id,
    [ggufd.keyName]: end.keyName,
    [ggufd.batchId]: beginning.batchId,
    [ggufd.delivery]: end.delivery,
    ...(operation !== undefined && {
      [genAi.operationName]: operation,
      [genAi.providerName]: PROVIDER,
    }),
    ...(totals !== undefined && toAttributes(totals)),
  });
  if (operation !== undefined && totals !== undefined) {
    span.updateName(`${operation} ${totals.model}`);
  }
  const code = errorCodeOf(record);
  if (code === undefined) return;
  span.setAttribute(ATTR_ERROR_TYPE, code);
  // Client errors do not mark a server span as failed.
  if (errorCatalogue[code].status >= 500) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: code });
  }
}

function toAttributes(totals: AnswerTotals): Attributes {
  const { model, answers, ttftMs, finishReasons } = totals;
  return {
    [genAi.requestModel]: model,
    [genAi.responseModel]: model,
    [genAi.inputTokens]: totals.promptTokens,
    [genAi.cachedInputTokens]: totals.cachedTokens,
    [genAi.outputTokens]: totals.completionTokens,
    ...(totals.reasoningTokens > 0 && { [genAi.reasoningOutputTokens]: totals.reasoningTokens }),
    ...(answers > 1 && { [genAi.choiceCount]: answers }),
    ...(finishReasons.length > 0 && { [genAi.finishReasons]: [...finishReasons] }),
    ...(ttftMs !== undefined && { [genAi.timeToFirstChunk]: ttftMs / 1000 }),
  };
}

function addPhases(tracer: Tracer, parent: Span, { beganAtEpochMs, answers }: RequestRecord): void {
  const context = trace.setSpan(ROOT_CONTEXT, parent);
  for (const [choice, answer] of answers.entries()) {
    for (const phase of buildPhases(answer)) {
      const attributes = {
        ...toPhaseAttributes(phase, answer),
        ...(answers.length > 1 && { [ggufd.choice]: choice }),
      };
      const startTime = beganAtEpochMs + phase.beginMs;
      tracer
        .startSpan(phase.name, { kind: SpanKind.INTERNAL, startTime, attributes }, context)
        .end(beganAtEpochMs + phase.endMs);
    }
  }
}

/** A phase of an answer, in milliseconds since the request began. */
interface Phase {
  readonly name: "queue" | "prefill" | "decode" | "pooling";
  readonly beginMs: number;
  readonly endMs: number;
}

/** Splits an answer's time into consecutive phases without gaps, up to its end. */
function buildPhases(answer: AnswerRecord): readonly Phase[] {
  const { waitingAtMs, runningAtMs, firstOutputAtMs, endedAtMs, ending } = answer;
  const queue = { name: "queue", beginMs: waitingAtMs, endMs: runningAtMs ?? endedAtMs } as const;
  if (runningAtMs === undefined) return [queue];
  if (ending.type === "pooled") {
    return [queue, { name: "pooling", beginMs: runningAtMs, endMs: endedAtMs }];
  }
  const prefill = { name: "prefill", beginMs: runningAtMs } as const;
  if (firstOutputAtMs === undefined) return [queue, { ...prefill, endMs: endedAtMs }];
  return [
    queue,
    { ...prefill, endMs: firstOutputAtMs },
    { name: "decode", beginMs: firstOutputAtMs, endMs: endedAtMs },
  ];
}

function toPhaseAttributes({ name }: Phase, answer: AnswerRecord): Attributes {
  switch (name) {
    case "queue":
      return {};
    case "prefill":
      return {
        [genAi.inputTokens]: answer.promptTokens,
        [genAi.cachedInputTokens]: answer.cachedTokens,
      };
    case "pooling":
      return { [genAi.inputTokens]: answer.promptTokens };
    case "decode":
      return { [genAi.outputTokens]: answer.completionTokens };
  }
}
