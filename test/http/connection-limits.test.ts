import type { Socket } from "node:net";
import { pino } from "pino";
import { describe, expect, it, test } from "vitest";
import { matchAddresses } from "../../src/http/connection-limits.js";
import { eventually } from "../support/eventually.js";
import { listening, openRaw, parseRaw } from "../support/raw-connection.js";
import { buildLoadingApp, type TestAppOptions } from "../support/test-app.js";

const request = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** Listening application, and the sockets that it has accepted. */
async function appWith(options: TestAppOptions) {
  const { app } = buildLoadingApp(options);
  const accepted: Socket[] = [];
  app.server.on("connection", (socket) => accepted.push(socket));
  return { port: await listening(app), accepted };
}

describe("connections from one address", () => {
  it("above the limit per address are answered 429 and closed; the others stay open", async () => {
    const { port } = await appWith({ edge: { maxConnectionsPerAddress: 2 } });
    const first = await openRaw(port, request);
    const second = await openRaw(port, request);
    await eventually(() => expect(first.received() && second.received()).toContain("200 OK"));

    const third = await openRaw(port, request.replace("/health/live", "/v1/todos"));
    const answer = parseRaw(await third.closed);
    expect(answer.status).toBe(429);
    expect(answer.headers).toMatchObject({
      connection: "close",
      "retry-after": "1",
      "x-request-id": expect.stringMatching(/^req_/),
    });
    expect(JSON.parse(answer.body)).toMatchObject({
      error: {
        code: "TOO_MANY_CONNECTIONS",
        message:
          "127.0.0.1 has too many connections: expected at most 2 (--max-connections-per-address).",
      },
    });

    first.socket.write(request);
    await eventually(() => expect(first.received().match(/200 OK/g)).toHaveLength(2));
  });

  it("above the limit per address are answered 429 even for a path that cannot be decoded", async () => {
    const { port } = await appWith({ edge: { maxConnectionsPerAddress: 1 } });
    await openRaw(port);
    const { closed } = await openRaw(port, "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(parseRaw(await closed).status).toBe(429);
  });

  it("that end free capacity for new connections", async () => {
    const { port, accepted } = await appWith({ edge: { maxConnectionsPerAddress: 1 } });
    const first = await openRaw(port);
    await eventually(() => expect(accepted).toHaveLength(1));
    first.socket.destroy();
    await eventually(() => expect(accepted[0]?.destroyed).toBe(true));
    const second = await openRaw(port, request);
    await eventually(() => expect(second.received()).toContain("200 OK"));
  });

  it("above the limit per address are closed after a second if they send nothing", async () => {
    const { port, accepted } = await appWith({ edge: { maxConnectionsPerAddress: 1 } });
    await openRaw(port);
    const silent = await openRaw(port);
    await eventually(() => expect(accepted).toHaveLength(2));
    expect(accepted.map(({ timeout }) => timeout ?? 0)).toEqual([0, 1000]);
    accepted[1]?.emit("timeout");
    expect(await silent.closed).toBe("");
  });

  it.each([
    ["without a limit", { maxConnectionsPerAddress: 0 }],
    ["of a trusted proxy", { maxConnectionsPerAddress: 1, trustProxy: ["127.0.0.0/8"] }],
  ])("%s are unlimited", async (_, edge) => {
    const { port } = await appWith({ edge });
    const connections = await Promise.all([1, 2, 3].map(() => openRaw(port, request)));
    for (const { received } of connections) {
      await eventually(() => expect(received()).toContain("200 OK"));
    }
  });
});

describe("connections from all addresses", () => {
  it("above the limit are closed, and logged at intervals", async () => {
    const lines: string[] = [];
    const logger = pino({ level: "warn" }, { write: (line) => lines.push(line) });
    const { port } = await appWith({ edge: { maxConnections: 1 }, logger });
    const first = await openRaw(port, request);
    await eventually(() => expect(first.received()).toContain("200 OK"));
    for (const dropped of [await openRaw(port, request), await openRaw(port, request)]) {
      expect(await dropped.closed).toBe("");
    }
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { dropped: 1, msg: "connections were closed: more than 1 (--max-connections)" },
    ]);
  });
});

describe("an address", () => {
  test.each([
    ["10.0.0.10", true],
    ["::ffff:10.0.0.10", true],
    ["10.0.0.11", false],
    ["192.168.7.7", true],
    ["192.169.0.1", false],
    ["fd00::1", true],
    ["fd00:0:0:1::1", false],
    ["::1", true],
    ["0:0:0:0:0:0:0:1", true],
  ])("%s matches the address list: %s", (address, expected) => {
    const isListed = matchAddresses(["10.0.0.10", "192.168.0.0/16", "fd00::/64", "::1"]);
    expect(isListed(address)).toBe(expected);
  });

  test("does not match an empty address list", () => {
    expect(matchAddresses([])("127.0.0.1")).toBe(false);
  });
});
