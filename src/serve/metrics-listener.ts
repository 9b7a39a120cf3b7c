import { type FastifyBaseLogger, type FastifyInstance, fastify } from "fastify";
import type { ModelContext } from "../api/description/described-route.js";
import { toErrorEnvelope } from "../api/fields/error-envelope.js";
import { parseAddressWithPort } from "../config/listen-addresses.js";
import type { Config } from "../config/settings.js";
import { buildAcceptedHosts } from "../http/accepted-hosts.js";
import type { BindOptions } from "../http/bind-servers.js";
import { type EdgeSettings, guardEdge } from "../http/edge.js";
import { answerErrors, sendError } from "../http/error-handler.js";
import { openListeners } from "../http/listeners.js";
import { observe, observeRequests } from "../http/observe-requests.js";
import { addPathPrefix } from "../http/path-prefix.js";
import { queuePipelinedRequests } from "../http/pipelined-requests.js";
import { REQUEST_ID_HEADER, sendRequestIds } from "../http/response-headers.js";
import { mountRoutes } from "../http/route.js";
import type { Metrics } from "../telemetry/metrics/metrics.js";
import { buildEdgeSettings, buildServerOptions, type EdgeConfig } from "./app.js";
import { metricsListenerGroups } from "./routes.js";

/** Addresses that serve metrics without a key. */
export type MetricsListenerConfig = Pick<Config, "metricsListen">;

interface MetricsAppOptions extends ModelContext {
  readonly metrics: Pick<Metrics, "startSeconds" | "readWithoutKeys">;
  readonly edge: EdgeSettings;
  readonly logger: FastifyBaseLogger;
}

export interface MetricsListenerOptions extends Omit<MetricsAppOptions, "edge"> {
  readonly config: EdgeConfig & MetricsListenerConfig;
}

/** The sockets that serve metrics without a key. */
export interface MetricsListener {
  /** URL of the metrics at each address: `http://127.0.0.1:9090/metrics`. */
  readonly urls: readonly string[];
  /** Stops listening and closes all connections. */
  close(): Promise<void>;
}

/** Returns the addresses of `--metrics-listen`, in the form for listening on them. */
export function buildMetricsBindOptions({ metricsListen }: MetricsListenerConfig): BindOptions {
  return { setting: "--metrics-listen", addresses: metricsListen.map(parseAddressWithPort) };
}

/**
 * Serves metrics and health checks without a key at the configured addresses, if any, in plain HTTP.
 * @throws {StartupError} naming the address that cannot be listened on
 */
export async function openMetricsListener(
  options: MetricsListenerOptions,
): Promise<MetricsListener> {
  const { config, logger } = options;
  const bindOptions = buildMetricsBindOptions(config);
  if (bindOptions.addresses.length === 0) return { urls: [], close: async () => undefined };
  const edge: EdgeSettings = {
    ...buildEdgeSettings(config),
    hosts: buildAcceptedHosts(bindOptions.addresses, config.allowedHost),
    // Scrapers are no web pages.
    origins: [],
  };
  const app = buildMetricsApp({ ...options, edge });
  await app.ready();
  const listeners = await openListeners({
    ...bindOptions,
    server: app.server,
    pair: undefined,
    limits: { perAddress: config.maxConnectionsPerAddress, proxies: config.trustProxy },
    log: logger,
  });
  return {
    urls: listeners.urls.map((url) => (url.startsWith("unix:") ? url : `${url}/metrics`)),
    async close() {
      const ended = listeners.close();
      await app.close();
      listeners.destroyConnections();
      await ended;
    },
  };
}

/** Builds the HTTP application of metrics and health checks, without listening. */
export function buildMetricsApp({
  models,
  metrics,
  edge,
  logger,
}: MetricsAppOptions): FastifyInstance {
  const app = fastify({
    ...buildServerOptions(edge, logger),
    routerOptions: { ignoreTrailingSlash: true },
    // A request whose path cannot be decoded does not reach any hook.
    frameworkErrors(error, request, reply) {
      observe(request, reply, []);
      reply.header(REQUEST_ID_HEADER, request.id).headers(guard.headersOf(request));
      return sendError(guard.refusalOf(request, reply) ?? error, request, reply, toErrorEnvelope);
    },
  });
  observeRequests(app, []);
  sendRequestIds(app);
  answerErrors(app, toErrorEnvelope, () => "this address has only /metrics and /health");
  const guard = guardEdge(app, edge, { openPaths: [], exposedHeaders: [] });
  addPathPrefix(app, "");
  queuePipelinedRequests(app.server);
  const { startSeconds } = metrics;
  const withoutKeys = { startSeconds, read: () => metrics.readWithoutKeys() };
  mountRoutes(app, metricsListenerGroups, { models, metrics: withoutKeys });
  return app;
}
