import type { Logger } from "pino";
import type { RequestObserver } from "../core/request-observer.js";
import { accessLog, openAccessLogFile } from "./access-log.js";
import { recordRequests } from "./record-requests.js";
import { traceEndpointOf } from "./tracing/trace-endpoint.js";

export interface ReportingOptions {
  /** `log`: lines of the daemon's log, at level info; `off`: none; otherwise a file's path. */
  readonly accessLog: string;
  /** The value of `--otlp-endpoint`. */
  readonly otlpEndpoint?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly version: string;
  readonly logger: Logger;
}

/** Where operators see requests that have ended: the access log and traces. */
export interface RequestReports {
  readonly observer: RequestObserver;
  /** Reopens the file of the access log after it was renamed. */
  reopen(): void;
  /** Flushes pending lines and spans, within some seconds. */
  close(): Promise<void>;
}

/** @throws {StartupError} for a file that cannot be opened and a wrong endpoint */
export async function openRequestReports(options: ReportingOptions): Promise<RequestReports> {
  const { logger, version, otlpEndpoint, environment } = options;
  const endpoint = traceEndpointOf(otlpEndpoint, environment);
  const hasFile = options.accessLog !== "log" && options.accessLog !== "off";
  const file = hasFile ? await openAccessLogFile(options.accessLog, logger) : undefined;
  const lines = options.accessLog === "log" ? logger : file?.lines;
  // Imported on demand: OpenTelemetry's SDK is a part of the start that most daemons do without.
  const tracing =
    endpoint.type === "collector"
      ? (await import("./tracing/open-tracing.js")).openTracing({ ...endpoint, version, logger })
      : undefined;
  return {
    observer: recordRequests([
      ...(lines === undefined ? [] : [accessLog(lines)]),
      ...(tracing === undefined ? [] : [tracing.reporter]),
    ]),
    reopen: () => file?.reopen(),
    close: async () => {
      await Promise.all([file?.close(), tracing?.close()]);
    },
  };
}
