import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { z } from "zod";
import { DaemonClient, DaemonError } from "../../../src/cli/daemon/daemon-client.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { refusalAnswer, type StandInAnswer, startStandIn } from "./stand-in.js";

const number = z.object({ n: z.number() });
const never = new AbortController().signal;

async function clientOf(answer: StandInAnswer, apiKey?: string) {
  const { url } = await startStandIn(() => answer);
  return new DaemonClient({ url, apiKey });
}

/** One-line message of a failed request, with the server's URL replaced by URL. */
async function toldOf(client: DaemonClient, work: () => Promise<unknown>): Promise<string> {
  const error = await work().then(
    () => expect.fail("it succeeded"),
    (error: unknown) => error,
  );
  if (!(error instanceof DaemonError)) throw error;
  expect(error.message).not.toContain("\n");
  return `${error.code}: ${error.message.replaceAll(client.url, "URL")}`;
}

describe("a request", () => {
  it("returns the expected fields of the answer", async () => {
    const client = await clientOf({ text: '{"n":1,"more":2}' });
    expect(await client.get("/x", number)).toEqual({ n: 1 });
    expect(await client.post("/x", {}, number)).toEqual({ n: 1 });
  });

  it("is sent to a Unix socket, whose path the error names if the connection fails", async () => {
    const path = join(await temporaryFolder(), "a.sock");
    const client = new DaemonClient({ url: `unix:${path}` });
    expect(await toldOf(client, () => client.get("/x", number))).toBe(
      `unreachable: no daemon answers at URL: connect ENOENT ${path}`,
    );
    const server = createHttpServer(({ headers }, response) =>
      response.end(JSON.stringify({ n: 1, host: headers.host })),
    );
    await once(server.listen(path), "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const answer = z.object({ n: z.number(), host: z.string() });
    expect(await client.get("/x", answer)).toEqual({ n: 1, host: "localhost" });
  });

  it("returns the progress while the server is not ready", async () => {
    const client = await clientOf({
      status: 503,
      text: '{"status":"loading model","progress":0.5}',
    });
    expect(await client.health()).toEqual({ status: "loading model", progress: 0.5 });
  });

  it.each([
    [
      { text: "<html>" },
      "no-ggufd: not a ggufd server at URL: GET /x was answered with invalid JSON",
    ],
    [
      { text: "{}" },
      "no-ggufd: not a ggufd server at URL: GET /x was answered with unexpected fields",
    ],
    [
      { status: 404, text: "Not found" },
      "no-ggufd: not a ggufd server at URL: GET /x was answered with the status 404",
    ],
    [
      { text: '{"n"', ends: "broken-off" },
      "unreachable: no daemon answers at URL: other side closed",
    ],
    [
      refusalAnswer(404, "model_not_found", "No\nsuch\u202e model."),
      "model_not_found: No such model.",
    ],
    [refusalAnswer(400, 400, "llama-server's"), "400: llama-server's"],
  ] as const)("fails for the answer %j", async (answer, told) => {
    const client = await clientOf(answer);
    expect(await toldOf(client, () => client.get("/x", number))).toBe(told);
  });

  test.each([
    [undefined, "invalid_api_key: URL requires an API key: set --api-key or GGUFD_API_KEY"],
    ["hush", "invalid_api_key: URL rejected this API key"],
  ])("is rejected with the API key %j", async (apiKey, told) => {
    const client = await clientOf(refusalAnswer(401, "invalid_api_key", "No."), apiKey);
    expect(await toldOf(client, () => client.get("/x", number))).toBe(told);
  });

  it("fails if the key lacks the required scope", async () => {
    const message = "The API key does not have the scope admin, which POST /models/load needs.";
    const client = await clientOf(refusalAnswer(403, "permission_denied", message), "hush");
    expect(await toldOf(client, () => client.post("/models/load", {}, number))).toBe(
      `permission_denied: URL denied access with this API key: ${message}`,
    );
  });

  it("fails if nothing listens at the address", async () => {
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    await once(server.close(), "close");
    const client = new DaemonClient({ url: `http://127.0.0.1:${port}` });
    expect(await toldOf(client, () => client.get("/x", number))).toBe(
      `unreachable: no daemon answers at URL: connect ECONNREFUSED 127.0.0.1:${port}`,
    );
  });
});

describe("a stream", () => {
  async function eventsOf(client: DaemonClient) {
    const events: unknown[] = [];
    const stream = client.streamEvents("/x", {}, { schema: number, signal: never });
    for await (const event of stream) events.push(event);
    return events;
  }

  it("yields its events up to [DONE]", async () => {
    const client = await clientOf({
      text: 'data: {"n":1}\n\n: ping\n\ndata: {"n":2}\n\ndata: [DONE]\n\n',
    });
    expect(await eventsOf(client)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it.each([
    [{ text: 'data: {"n":1}\n\n' }, "unreachable: URL: the answer ended early"],
    [
      { text: 'data: {"n":1}\n\n', ends: "broken-off" },
      "unreachable: no daemon answers at URL: other side closed",
    ],
    [
      { text: 'data: {"error":{"message":"Bye.","code":"shutting_down"}}\n\n' },
      "shutting_down: Bye.",
    ],
    [refusalAnswer(503, "server_overloaded", "Busy."), "server_overloaded: Busy."],
  ] as const)("fails after %j", async (answer, told) => {
    const client = await clientOf(answer);
    expect(await toldOf(client, () => eventsOf(client))).toBe(told);
  });

  it("ends with the abort reason of its signal", async () => {
    const client = await clientOf({ text: 'data: {"n":1}\n\n' });
    const signal = AbortSignal.abort(new Error("enough"));
    const stream = client.streamEvents("/x", {}, { schema: number, signal });
    await expect(stream.next()).rejects.toThrow("enough");
  });
});
