import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, test } from "vitest";
import { readMetrics } from "../../../src/cli/top/read-metrics.js";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answering = (status: number, body: string) =>
  serve((_, response) => response.writeHead(status).end(body));

it("requests the metrics with the API key", async () => {
  const requests: unknown[] = [];
  const url = await serve(({ url, headers }, response) => {
    requests.push([url, headers.authorization]);
    response.end("ggufd:ready 1\n");
  });
  await readMetrics({ url });
  expect(await readMetrics({ url, apiKey: "k" })).toEqual({
    type: "scrape",
    scrape: {
      atMs: expect.any(Number),
      samples: [{ name: "ggufd:ready", labels: {}, value: 1 }],
    },
  });
  expect(requests).toEqual([
    ["/metrics", undefined],
    ["/metrics", "Bearer k"],
  ]);
});

test.each([
  [401, "", "requires an API key: set --api-key or GGUFD_API_KEY"],
  [403, "", "denied access to its metrics: expected an API key with the scope admin"],
  [404, "", "has no /metrics; check that it is a ggufd server"],
  [502, "", "answers 502 to GET /metrics"],
  [200, "<!doctype html>", "not a ggufd server: /metrics has no metrics"],
  [200, "up 1", "not a ggufd server: /metrics has metrics of another program"],
])("describes an invalid answer: %d %j", async (status, body, reason) => {
  const url = await answering(status, body);
  expect(await readMetrics({ url })).toEqual({ type: "failure", reason });
});

it("describes why a server is unreachable", async () => {
  const url = await serve((request) => request.socket.destroy());
  expect(await readMetrics({ url })).toEqual({
    type: "failure",
    reason: "cannot be reached: other side closed",
  });
});
