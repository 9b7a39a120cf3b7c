import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createConnection } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { balance, findHaproxy } from "./haproxy.js";

const haproxy = findHaproxy();
const alwaysReady: RequestListener = (_request, response) => void response.end();
const agent = fileURLToPath(new URL("../../deploy/haproxy/load-agent.mjs", import.meta.url));

/** Response of a daemon's `/metrics`; without a text, the connection is closed. */
interface Metrics {
  status: number;
  text: string | undefined;
  key?: string | undefined;
}

/** Starts an HTTP server that is closed after the test. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startAgent(metrics: Metrics, env: NodeJS.ProcessEnv = {}): Promise<number> {
  const url = await serve(({ headers }, response) => {
    metrics.key = headers.authorization;
    if (metrics.text === undefined) response.destroy();
    else response.writeHead(metrics.status).end(metrics.text);
  });
  const agentPort = await freePort();
  const child = spawn(process.execPath, [agent], {
    env: {
      LOAD_AGENT_HOST: "127.0.0.1",
      LOAD_AGENT_PORT: String(agentPort),
      LOAD_AGENT_METRICS: `${url}/metrics`,
      ...env,
    },
    stdio: "inherit",
  });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
  });
  return agentPort;
}

/** Response of the agent to HAProxy. */
const answerOf = (port: number) => eventually(() => text(createConnection(port, "127.0.0.1")));

const gauges = (running: number, waiting: number) =>
  [
    "# TYPE ggufd:num_requests_running gauge",
    `ggufd:num_requests_running{model_name="a, b} 7"} ${running}`,
    "# TYPE ggufd:num_requests_waiting gauge",
    `ggufd:num_requests_waiting{model_name="a, b} 7"} ${waiting}`,
    "ggufd:num_requests_waiting_seconds 77",
    // Metrics of the model server protocol, which are not counted again.
    "vllm:num_requests_waiting 99",
    "",
  ].join("\n");

describe("the HAProxy agent that reports a daemon's load", () => {
  it("answers with the share of running requests, in steps of 25 %", async () => {
    const metrics: Metrics = { status: 200, text: gauges(0, 0) };
    const port = await startAgent(metrics);
    for (const [running, waiting, percent] of [
      [0, 0, 100],
      [16, 0, 100],
      [16, 1, 100],
      [16, 6, 75],
      [16, 16, 50],
      [16, 48, 25],
      [16, 2000, 25],
      [0, 3, 25],
    ] as const) {
      metrics.text = gauges(running, waiting);
      expect(await answerOf(port), `${running}, ${waiting}`).toBe(`${percent}%\n`);
    }
    metrics.text = `${gauges(8, 0)}${gauges(8, 16)}`;
    expect(await answerOf(port), "of two models").toBe("50%\n");
  });

  it("answers 100 % if the load is unknown", async () => {
    const metrics: Metrics = { status: 401, text: gauges(1, 99) };
    const port = await startAgent(metrics);
    expect(await answerOf(port)).toBe("100%\n");
    metrics.text = undefined;
    expect(await answerOf(port)).toBe("100%\n");
  });

  it("sends its key to the daemon", async () => {
    const metrics: Metrics = { status: 200, text: gauges(1, 1) };
    const port = await startAgent(metrics, { LOAD_AGENT_KEY: "hush" });
    expect(await answerOf(port)).toBe("50%\n");
    expect(metrics.key).toBe("Bearer hush");
  });

  it.runIf(haproxy !== undefined)("lowers and restores the weight in HAProxy", async () => {
    const metrics: Metrics = { status: 200, text: gauges(4, 4) };
    const agentPortOfA = await startAgent(metrics);
    const [a, b] = [await serve(alwaysReady), await serve(alwaysReady)];
    const balancer = await balance(`${haproxy}`, { a, b, agentPortOfA });
    await eventually(async () => expect(await balancer.weightOf("a")).toBe("50"));
    metrics.text = gauges(4, 0);
    await eventually(async () => expect(await balancer.weightOf("a")).toBe("100"));
    expect(await balancer.weightOf("b")).toBe("100");
  });
});
