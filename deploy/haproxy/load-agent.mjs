#!/usr/bin/env node
/**
 * Reports the load of a ggufd daemon to HAProxy (`agent-check`). Each connection gets one line: the
 * running share of the daemon's requests, in per cent. None wait: 100 %. As many wait as run: 50 %.
 *
 *   node load-agent.mjs            # listens on 0.0.0.0:8090, asks http://127.0.0.1:8080/metrics
 *
 * Environment: LOAD_AGENT_HOST, LOAD_AGENT_PORT, LOAD_AGENT_METRICS (a URL; of --metrics-listen if the daemon
 * has keys), or LOAD_AGENT_KEY, a key with the scope `admin`.
 */
import { createServer } from "node:net";

const {
  LOAD_AGENT_HOST = "0.0.0.0",
  LOAD_AGENT_PORT = "8090",
  LOAD_AGENT_METRICS = "http://127.0.0.1:8080/metrics",
  LOAD_AGENT_KEY,
} = process.env;

/** Step and minimum of the weight. Changes move conversations to other daemons, so they must be rare. */
const STEP_PERCENT = 25;
/** HAProxy waits for `timeout check`, two seconds. */
const METRICS_TIMEOUT_MS = 1000;

const server = createServer((connection) => {
  // HAProxy disconnects when it has read the line, or at its timeout.
  connection.on("error", () => connection.destroy());
  weightPercent().then((percent) => connection.end(`${percent}%\n`));
});
server.listen(Number(LOAD_AGENT_PORT), LOAD_AGENT_HOST);
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => server.close());

/** Returns 100 if the load is unknown; `/health/ready` detects unavailable daemons. */
async function weightPercent() {
  const headers = LOAD_AGENT_KEY ? { authorization: `Bearer ${LOAD_AGENT_KEY}` } : {};
  try {
    const signal = AbortSignal.timeout(METRICS_TIMEOUT_MS);
    const response = await fetch(LOAD_AGENT_METRICS, { headers, signal });
    return response.ok ? percentOf(await response.text()) : 100;
  } catch {
    return 100;
  }
}

/** @param {string} metrics in Prometheus' text format */
function percentOf(metrics) {
  const waiting = sumOf(metrics, "num_requests_waiting");
  if (waiting === 0) return 100;
  const running = sumOf(metrics, "num_requests_running");
  const percent = (100 * running) / (running + waiting);
  return Math.max(STEP_PERCENT, Math.round(percent / STEP_PERCENT) * STEP_PERCENT);
}

/** Sum of a metric over all models. The same metrics under other prefixes are not counted again. */
function sumOf(metrics, name) {
  const values = metrics.matchAll(new RegExp(`^ggufd:${name}(?:\\{.*\\})? (\\d+)`, "gm"));
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
}
