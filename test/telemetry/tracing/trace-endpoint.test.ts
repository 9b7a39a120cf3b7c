import { describe, expect, it, test } from "vitest";
import { selectTraceEndpoint } from "../../../src/telemetry/tracing/trace-endpoint.js";

const TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const ALL = "OTEL_EXPORTER_OTLP_ENDPOINT";

const collector = (url: string) => ({ type: "collector", url });

test.each([
  ["no configuration", undefined, {}, { type: "off" }],
  ["an empty variable", undefined, { [ALL]: "" }, { type: "off" }],
  ["the flag", "http://c:4318", {}, collector("http://c:4318/v1/traces")],
  ["a flag with a path", "https://c/otlp/", {}, collector("https://c/otlp/v1/traces")],
  [
    "the flag and a variable",
    "http://a",
    { [TRACES]: "http://b" },
    collector("http://a/v1/traces"),
  ],
  ["the variable", undefined, { [ALL]: "http://c:4318/" }, collector("http://c:4318/v1/traces")],
  [
    "the variable for traces, unmodified",
    undefined,
    { [TRACES]: "http://c/x" },
    collector("http://c/x"),
  ],
  [
    "both variables",
    undefined,
    { [ALL]: "http://a", [TRACES]: "http://b/x" },
    collector("http://b/x"),
  ],
  [
    "another exporter",
    undefined,
    { [ALL]: "http://a", OTEL_TRACES_EXPORTER: "none" },
    { type: "off" },
  ],
  ["a disabled SDK", undefined, { [ALL]: "http://a", OTEL_SDK_DISABLED: "true" }, { type: "off" }],
  [
    "protobuf, at the same endpoint",
    undefined,
    { [ALL]: "http://a", OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" },
    collector("http://a/v1/traces"),
  ],
] as const)("the trace endpoint with %s", (_, flag, environment, expected) => {
  expect(selectTraceEndpoint(flag, environment)).toEqual(expected);
});

describe("an invalid trace endpoint is rejected with the name of the variable", () => {
  it.each([
    [{ [ALL]: "collector:4318" }, `${ALL}: expected an http or https URL, got "collector:4318"`],
    [{ [TRACES]: "grpc://c" }, `${TRACES}: expected an http or https URL, got "grpc://c"`],
    [
      { [ALL]: "http://c:4317", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
      'OTEL_EXPORTER_OTLP_PROTOCOL: expected http/json, got "grpc"; set the endpoint to the collector\'s HTTP port',
    ],
  ])("%j", (environment, message) => {
    expect(() => selectTraceEndpoint(undefined, environment)).toThrow(message);
  });
});
