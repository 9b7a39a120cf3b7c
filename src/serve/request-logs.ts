import type { Logger } from "pino";
import type { Config } from "../config/settings.js";
import type { RequestReporter } from "../telemetry/record-requests.js";
import { openRequestReports, type RequestReports } from "../telemetry/request-reports.js";
import { version } from "../version.js";

const MIB = 2 ** 20;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Reports of ended requests, and the log of prompts and answers. */
export interface RequestLogs extends RequestReports {
  /** `undefined`: prompts and answers are not logged. */
  readonly content: { readonly droppedLines: number } | undefined;
}

/**
 * @param reporters reporters in addition to those of the configuration
 * @throws {StartupError} for a file that cannot be opened or an invalid endpoint
 */
export async function openRequestLogs(
  config: Config,
  logger: Logger,
  reporters: readonly RequestReporter[],
): Promise<RequestLogs> {
  const content = await openContent(config, logger);
  const { accessLog, otlpEndpoint } = config;
  try {
    const reports = await openRequestReports({
      accessLog,
      otlpEndpoint,
      environment: process.env,
      version,
      logger,
      reporters: content === undefined ? reporters : [...reporters, content.reporter],
    });
    return {
      ...reports,
      content,
      close: async () => {
        await Promise.all([reports.close(), content?.close()]);
      },
    };
  } catch (error) {
    await content?.close();
    throw error;
  }
}

async function openContent(
  { logContent: path, logContentMaxSize, logContentDays }: Config,
  logger: Logger,
) {
  if (path === undefined) return undefined;
  const { openContentLog } = await import("../telemetry/content-log/content-log.js");
  return openContentLog({
    path,
    maxBytes: logContentMaxSize * MIB,
    maxAgeMs: logContentDays * DAY_MS,
    logger,
  });
}
