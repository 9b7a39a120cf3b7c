import type { Logger } from "pino";
import type { RequestObserver } from "../core/request-observer.js";
import { createAccessLog, openAccessLogFile } from "./access-log.js";
import { type RequestReporter, recordRequests } from "./record-requests.js";
import { selectTraceEndpoint } from "./tracing/trace-endpoint.js";

export interface ReportingOptions {
  /** `log`: lines of the daemon's log, at level info; `off`: none; otherwise the path of a file. */
  readonly accessLog: string;
  /** Value of `--otlp-endpoint`. */
  readonly otlpEndpoint?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** Reporters in addition to the access log and traces. @default none */
  readonly reporters?: readonly RequestReporter[];
  readonly version: string;
  readonly logger: Logger;
}

/** Reports of ended requests for operators: the access log and traces. */
export interface RequestReports {
  readonly observer: RequestObserver;
  /** Reopens the access log file after it was renamed. */
  reopen(): void;
  /** Flushes pending lines and spans, within a few seconds. */
  close(): Promise<void>;
}

/** @throws {StartupError} for a file that cannot be opened or an invalid endpoint */
export async function openRequestReports(options: ReportingOptions): Promise<RequestReports> {
  const { logger, version, otlpEndpoint, environment } = options;
  const endpoint = selectTraceEndpoint(otlpEndpoint, environment);
  const hasFile = options.accessLog !== "log" && options.accessLog !== "off";
  const file = hasFile ? await openAccessLogFile(options.accessLog, logger) : undefined;
  const accessLogger = options.accessLog === "log" ? logger : file?.lines;
  // Imported on demand: OpenTelemetry's SDK slows the start, and most daemons do not use it.
  const tracing =
    endpoint.type === "collector"
      ? (await import("./tracing/open-tracing.js")).openTracing({ ...endpoint, version, logger })
      : undefined;
  return {
    observer: recordRequests([
      ...(accessLogger === undefined ? [] : [createAccessLog(accessLogger)]),
      ...(tracing === undefined ? [] : [tracing.reporter]),
      ...(options.reporters ?? []),
    ]),
    reopen: () => file?.reopen(),
    close: async () => {
      await Promise.all([file?.close(), tracing?.close()]);
    },
  };
}
