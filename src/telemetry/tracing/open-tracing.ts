import { DiagLogLevel, diag, type Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from "@opentelemetry/semantic-conventions";
import type { Logger } from "pino";
import { settlesWithin } from "../../core/settles-within.js";
import type { RequestReporter } from "../record-requests.js";
import { createSpanReporter } from "./request-spans.js";

export interface TracingOptions {
  /** URL that spans are posted to. */
  readonly url: string;
  readonly version: string;
  readonly logger: Logger;
  /** Time limit for sending the last spans on close. @default 3 seconds */
  readonly flushMs?: number;
}

/** Exporter of request traces to a collector. */
export interface Tracing {
  readonly reporter: RequestReporter;
  /** Flushes pending spans; spans that take too long are dropped. */
  close(): Promise<void>;
}

const SERVICE_NAME = "ggufd";
const DEFAULT_FLUSH_MS = 3000;

/**
 * Starts OpenTelemetry's SDK. Spans are sent in batches, and requests never wait for them: while
 * the collector is unreachable, at most 2048 spans are queued and later ones dropped.
 * OpenTelemetry's environment variables for resources, samplers, batches, headers and certificates
 * apply.
 */
export function openTracing(options: TracingOptions): Tracing {
  const { url, version, logger, flushMs = DEFAULT_FLUSH_MS } = options;
  const warn = createCollectorWarner(logger);
  const ignore = () => undefined;
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const ownResource = resourceFromAttributes({
    [ATTR_SERVICE_NAME]: SERVICE_NAME,
    [ATTR_SERVICE_VERSION]: version,
  });
  const provider = new NodeTracerProvider({
    resource: ownResource.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  });
  const tracer: Tracer = provider.getTracer(SERVICE_NAME, version);
  return {
    reporter: createSpanReporter(tracer),
    close: async () => {
      const outcome = await settlesWithin(provider.shutdown(), flushMs).then(
        (isDone) => (isDone ? "done" : "timed-out"),
        () => "failed",
      );
      if (outcome !== "done") logger.warn({ outcome }, "the last traces were not sent");
      diag.disable();
    },
  };
}

/** Minimum interval between warnings: an unreachable collector fails every few seconds. */
const WARNING_INTERVAL_MS = 60_000;

/**
 * Logs warnings of OpenTelemetry's SDK, at most once a minute.
 * @param nowMs a monotonic clock
 * @returns a function that takes a warning
 */
export function createCollectorWarner(
  logger: Logger,
  nowMs: () => number = () => performance.now(),
): (message: string) => void {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return (message) => {
    if (nowMs() - loggedAtMs < WARNING_INTERVAL_MS) return;
    loggedAtMs = nowMs();
    logger.warn({ reason: parseReason(message) }, "problem exporting traces");
  };
}

/** Extracts the message of an error, which the SDK logs as JSON with its stack. */
function parseReason(message: string): string {
  try {
    const error: unknown = JSON.parse(message);
    if (typeof error === "object" && error !== null && "message" in error) {
      return String(error.message);
    }
  } catch {
    // The message is plain text.
  }
  return message;
}
