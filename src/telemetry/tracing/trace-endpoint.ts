import { StartupError } from "../../core/startup-error.js";

/** Destination of traces. */
export type TraceEndpoint =
  | { readonly type: "off" }
  /** URL that spans are posted to. */
  | { readonly type: "collector"; readonly url: string };

/** Path appended to the endpoint for all signals (OTLP 1.x, "Endpoint URLs for OTLP/HTTP"). */
const TRACES_PATH = "/v1/traces";
const TRACES_VARIABLE = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT";
const PROTOCOL_VARIABLES = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];

/**
 * Determines the destination of traces from the flag, else from OpenTelemetry's environment
 * variables.
 * @param flag value of `--otlp-endpoint`
 * @throws {StartupError} naming the variable, what was expected and what was received
 */
export function selectTraceEndpoint(
  flag: string | undefined,
  environment: NodeJS.ProcessEnv,
): TraceEndpoint {
  if (flag !== undefined) return { type: "collector", url: withTracesPath(flag) };
  const tracesUrl = environment[TRACES_VARIABLE];
  const url = environment[VARIABLE];
  if (!tracesUrl && !url) return { type: "off" };
  if (environment.OTEL_SDK_DISABLED === "true" || environment.OTEL_TRACES_EXPORTER === "none") {
    return { type: "off" };
  }
  rejectOtherProtocols(environment);
  if (tracesUrl) return { type: "collector", url: requireHttpUrl(TRACES_VARIABLE, tracesUrl) };
  return { type: "collector", url: withTracesPath(requireHttpUrl(VARIABLE, url ?? "")) };
}

function withTracesPath(url: string): string {
  return url.replace(/\/*$/, TRACES_PATH);
}

function requireHttpUrl(variable: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new StartupError(`${variable}: expected an http or https URL, got ${JSON.stringify(text)}`);
}

/**
 * Rejects gRPC, which uses another endpoint. Collectors accept JSON and protobuf at the same one.
 */
function rejectOtherProtocols(environment: NodeJS.ProcessEnv): void {
  for (const variable of PROTOCOL_VARIABLES) {
    if (environment[variable] !== "grpc") continue;
    throw new StartupError(
      `${variable}: expected http/json, got "grpc"; ` +
        "set the endpoint to the collector's HTTP port, by default 4318",
    );
  }
}
