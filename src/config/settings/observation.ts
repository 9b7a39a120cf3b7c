import { z } from "zod";
import { nonEmptyText, oneOf, trueOrFalse } from "../../validation/fields.js";
import type { Setting } from "./setting.js";

/** What an operator sees. */
export const observationSettings = {
  logLevel: {
    schema: oneOf(["silent", "error", "warn", "info", "debug"]).default("warn"),
    factOf: "server",
    form: "text",
    placeholder: "silent|error|warn|info|debug",
    help: "level of the JSON log on standard error; info adds one line per request",
  },
  accessLog: {
    schema: nonEmptyText().default("log"),
    factOf: "server",
    form: "text",
    placeholder: "log|off|PATH",
    help: "where one JSON line per request goes: to the log at level info, nowhere, or to a file, opened anew on SIGHUP",
  },
  metricsPerKey: {
    schema: trueOrFalse().default(false),
    factOf: "server",
    form: "switch",
    help: "/metrics has series of each API key, by its name",
  },
  otlpEndpoint: {
    schema: z.url({ protocol: /^https?$/, error: "expected an http or https URL" }).optional(),
    factOf: "server",
    form: "text",
    placeholder: "URL",
    help: "OpenTelemetry collector to send traces to over OTLP/HTTP (default: OTEL_EXPORTER_OTLP_ENDPOINT, otherwise none)",
  },
} as const satisfies Record<string, Setting>;
