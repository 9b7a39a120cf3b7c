import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A value as OTLP writes it in JSON. */
type AnyValue =
  | { readonly stringValue: string }
  | { readonly intValue: number | string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } };

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly status: { readonly code: number; readonly message?: string };
}

interface SentTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** A span that has arrived, with its attributes as an object and its times in milliseconds. */
export interface ReceivedSpan extends Omit<SentSpan, "attributes"> {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly beginMs: number;
  readonly endMs: number;
}

export interface Collector {
  /** That spans are posted to. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Received exports without a response; a client that times out removes its own. */
  readonly unanswered: ReadonlySet<ServerResponse>;
}

/** A receiver of OTLP over HTTP in JSON, until the test has ended. @param answers whether it ever does */
export async function startCollector(answers: "at once" | "never"): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const unanswered = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    unanswered.add(response);
    response.once("close", () => unanswered.delete(response));
    const isTraces = request.method === "POST" && request.url === "/v1/traces";
    const isJson = request.headers["content-type"] === "application/json";
    if (!isTraces || !isJson) return response.writeHead(404).end();
    spans.push(...spansOf((await json(request)) as SentTraces));
    if (answers === "at once") response.setHeader("content-type", "application/json").end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1/traces`, spans, unanswered };
}

function spansOf({ resourceSpans }: SentTraces): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: objectOf(span.attributes),
        resource: objectOf(resource.attributes),
        beginMs: Number(span.startTimeUnixNano) / 1e6,
        endMs: Number(span.endTimeUnixNano) / 1e6,
      })),
    ),
  );
}

function objectOf(pairs: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]));
}

function plain(value: AnyValue): unknown {
  if ("arrayValue" in value) return value.arrayValue.values.map(plain);
  if ("intValue" in value) return Number(value.intValue);
  return Object.values(value)[0];
}
