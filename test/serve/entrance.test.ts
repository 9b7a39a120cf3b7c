import { once } from "node:events";
import { chmodSync, copyFileSync, existsSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { pino } from "pino";
import { Agent, fetch, type RequestInit } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseListenAddress } from "../../src/config/listen-addresses.js";
import { readCertificate } from "../../src/config/read-certificate.js";
import { openListeners } from "../../src/http/listeners.js";
import {
  type EntranceConfig,
  expectFreeAddresses,
  openEntrance,
} from "../../src/serve/entrance.js";
import type { MetricsListenerConfig } from "../../src/serve/metrics-listener.js";
import { firstCertificate, secondCertificate } from "../support/certificates.js";
import { eventually } from "../support/eventually.js";
import { parseRaw } from "../support/raw-connection.js";
import { deferred, ScriptedEngine } from "../support/scripted-engine.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { buildTestApp, type TestAppOptions } from "../support/test-app.js";

const CONFIG: EntranceConfig & MetricsListenerConfig = {
  host: ["127.0.0.1"],
  port: 0,
  metricsListen: [],
  tlsCert: undefined,
  tlsKey: undefined,
  maxConnectionsPerAddress: 4096,
  trustProxy: [],
};

const WITH_TLS = { tlsCert: firstCertificate.certPath, tlsKey: firstCertificate.keyPath };

interface Opening {
  readonly config?: Partial<EntranceConfig>;
  readonly options?: TestAppOptions;
  readonly engine?: ScriptedEngine;
}

/** An application that listens until the end of the test, and its log lines. */
async function open({ config, options, engine }: Opening) {
  const complete = { ...CONFIG, ...config };
  const log: Record<string, unknown>[] = [];
  const logger = pino({ level: "debug" }, { write: (line) => log.push(JSON.parse(line)) });
  const { app } = buildTestApp(engine ?? new ScriptedEngine(() => ({ parts: ["a", "b"] })), {
    ...options,
    logger,
    edge: {
      host: complete.host,
      trustProxy: complete.trustProxy,
      maxConnectionsPerAddress: complete.maxConnectionsPerAddress,
      ...options?.edge,
    },
  });
  const certificate = readCertificate(complete);
  const entrance = await openEntrance(app, { config: complete, certificate, logger });
  onTestFinished(async () => {
    const closed = entrance.close();
    entrance.destroyConnections();
    await closed;
  });
  const [url = ""] = entrance.urls;
  return { app, entrance, log, url, port: Number(new URL(url).port) };
}

/** A client that trusts a certificate, and opens a connection per request. */
function client(connection: Agent.Options["connect"]) {
  const agent = new Agent({ connect: connection, connections: 1 });
  onTestFinished(() => agent.destroy());
  return (url: string, init: RequestInit = {}) => fetch(url, { ...init, dispatcher: agent });
}

/** Connection whose bytes are written by the test. */
async function rawTo(at: { path: string } | { port: number; host?: string }, text = "") {
  const socket = connect(at);
  onTestFinished(() => void socket.destroy());
  let received = "";
  socket.setEncoding("utf8").on("data", (part) => {
    received += part;
  });
  socket.on("error", () => undefined);
  const closed = new Promise<string>((resolve) => {
    socket.once("close", () => resolve(received));
  });
  await once(socket, "connect");
  socket.write(text);
  return { socket, received: () => received, closed };
}

const health = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
const chat = (body: object) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...body }),
});

/** The name in a server's certificate. */
async function shownName(port: number): Promise<string | undefined> {
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

async function socketPath(): Promise<string> {
  return join(await temporaryFolder(), "ggufd.sock");
}

describe("a TLS listener", () => {
  it("answers requests and streams, and keeps the connection alive", async () => {
    const { url, app } = await open({ config: WITH_TLS });
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    let connections = 0;
    app.server.on("connection", () => connections++);
    const get = client({ ca: firstCertificate.cert });
    expect(await (await get(`${url}/v1/chat/completions`, chat({}))).json()).toMatchObject({
      choices: [{ message: { content: "ab" } }],
    });
    const stream = await get(`${url}/v1/chat/completions`, chat({ stream: true }));
    expect(await stream.text()).toMatch(/"content":"a".*"content":"b".*data: \[DONE\]\n\n$/s);
    expect(connections).toBe(1);
  });

  it.each([
    ["TLSv1.2", "TLSv1.2"],
    ["TLSv1.3", "TLSv1.3"],
  ] as const)("supports %s", async (maxVersion, expected) => {
    const { port } = await open({ config: WITH_TLS });
    const socket = connectTls({ port, host: "127.0.0.1", maxVersion, rejectUnauthorized: false });
    await once(socket, "secureConnect");
    expect(socket.getProtocol()).toBe(expected);
    expect(socket.alpnProtocol).toBe(false);
    socket.destroy();
  });

  it("rejects older TLS versions, and keeps serving", async () => {
    const { port, log } = await open({ config: WITH_TLS });
    const socket = connectTls({
      ...{ port, host: "127.0.0.1", rejectUnauthorized: false },
      ...({ minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const),
    });
    await expect(once(socket, "secureConnect")).rejects.toThrow();
    await eventually(() =>
      expect(log).toContainEqual(expect.objectContaining({ msg: "a TLS handshake failed" })),
    );
    expect(await shownName(port)).toBe("ggufd test first");
  });

  it("uses a reloaded certificate for new connections, and keeps existing ones", async () => {
    const folder = await temporaryFolder();
    const [tlsCert, tlsKey] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    copyFileSync(firstCertificate.certPath, tlsCert);
    copyFileSync(firstCertificate.keyPath, tlsKey);
    const { port, entrance, log } = await open({ config: { tlsCert, tlsKey } });
    const before = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
    await once(before, "secureConnect");

    // The key of the new certificate has not been written yet.
    copyFileSync(secondCertificate.certPath, tlsCert);
    entrance.reload();
    expect(log.at(-1)).toMatchObject({
      level: 50,
      reason: `--tls-key ${tlsKey}: expected the key of --tls-cert ${tlsCert}, got the key of another certificate`,
      msg: "the new certificate is invalid; the previous one remains in use",
    });
    expect(await shownName(port)).toBe("ggufd test first");

    copyFileSync(secondCertificate.keyPath, tlsKey);
    entrance.reload();
    expect(log.findLast(({ level }) => level === 30)).toMatchObject({
      validTo: "Jan  1 00:00:00 2120 GMT",
      msg: "the certificate was read again",
    });
    expect(await shownName(port)).toBe("ggufd test second");

    before.write(health);
    expect(String((await once(before, "data"))[0])).toContain("200 OK");
    before.destroy();
  });

  it("answers plain HTTP with an error that names HTTPS, and closes the connection", async () => {
    const { port, log } = await open({ config: WITH_TLS });
    const body = "x".repeat(100_000);
    const { closed } = await rawTo(
      { port },
      `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const answer = parseRaw(await closed);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({
      error: {
        code: "invalid_request",
        message: "This port speaks https: expected https:// in the URL, got http://.",
      },
    });
    expect(log.map(({ level, msg }) => [level, msg])).toEqual([
      [20, "HTTP without TLS was refused"],
    ]);
    expect(await shownName(port)).toBe("ggufd test first");
  });

  it.each([
    ["sends data that is not TLS", "\0\x01\x02 hello\r\n\r\n"],
    ["sends an invalid TLS handshake", "\x16\x03\x01\x00\x05hello"],
  ])("closes the connection of a client that %s", async (_, text) => {
    const { port, log } = await open({ config: WITH_TLS });
    const { socket, closed } = await rawTo({ port });
    socket.write(text, "latin1");
    await closed;
    expect(log.map(({ level, msg }) => [level, msg])).toEqual([[20, "a TLS handshake failed"]]);
    expect(await shownName(port)).toBe("ggufd test first");
  });

  it("closes the connection of a client that disconnects before sending anything", async () => {
    const { port } = await open({ config: WITH_TLS });
    const { socket, closed } = await rawTo({ port });
    socket.end();
    expect(await closed).toBe("");
  });

  it("serves other clients during unfinished handshakes", async () => {
    const { url, port } = await open({
      config: WITH_TLS,
      options: { edge: { maxConnections: 9 } },
    });
    const silent = await Promise.all(Array.from({ length: 4 }, () => rawTo({ port })));
    // The first half of a ClientHello.
    const started = await Promise.all(
      Array.from({ length: 4 }, () => rawTo({ port }, "\x16\x03\x01\x02\x00\x01")),
    );
    const get = client({ ca: firstCertificate.cert });
    expect((await get(`${url}/health/live`)).status).toBe(200);
    for (const { socket } of [...silent, ...started]) expect(socket.readyState).toBe("open");
  });

  it("counts a connection towards the per-address limit once, including its handshake", async () => {
    const { url, port } = await open({ config: { ...WITH_TLS, maxConnectionsPerAddress: 2 } });
    const one = await rawTo({ port });
    await rawTo({ port });
    expect(await (await rawTo({ port })).closed).toBe("");
    const place = deferred();
    one.socket.once("close", () => place.resolve());
    one.socket.destroy();
    await place.promise;
    const get = client({ ca: firstCertificate.cert });
    await eventually(async () => expect((await get(`${url}/health/live`)).status).toBe(200));
  });

  it("answers connections beyond the per-address limit with 429", async () => {
    const { port } = await open({ config: { ...WITH_TLS, maxConnectionsPerAddress: 2 } });
    const secure = async (): Promise<TLSSocket> => {
      const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
      onTestFinished(() => void socket.destroy());
      await once(socket, "secureConnect");
      return socket;
    };
    const answerTo = async (socket: TLSSocket) => {
      socket.write(health);
      return parseRaw(String((await once(socket, "data"))[0])).status;
    };
    const [first, second, third] = [await secure(), await secure(), await secure()];
    expect(await answerTo(first)).toBe(200);
    expect(await answerTo(second)).toBe(200);
    expect(await answerTo(third)).toBe(429);
  });
});

describe("the connections of all listeners", () => {
  it.each([["http", {}] as const, ["https", WITH_TLS] as const])(
    "share one limit, which includes handshakes: %s",
    async (_, config) => {
      const path = await socketPath();
      const host = ["127.0.0.1", `unix:${path}`];
      const { port, log } = await open({
        config: { ...config, host },
        options: { edge: { maxConnections: 2 } },
      });
      const first = await rawTo({ port });
      const second = await rawTo({ path }, health);
      await eventually(() => expect(second.received()).toContain("200 OK"));
      expect(await (await rawTo({ path }, health)).closed).toBe("");
      expect(await (await rawTo({ port })).closed).toBe("");
      expect(log.filter(({ level }) => level === 40)).toMatchObject([
        { dropped: 1, msg: "connections were closed: more than 2 (--max-connections)" },
      ]);
      first.socket.destroy();
      await eventually(async () => {
        const { socket, received } = await rawTo({ path }, health);
        onTestFinished(() => void socket.destroy());
        await eventually(() => expect(socket.destroyed || received() !== "").toBe(true));
        expect(received()).toContain("200 OK");
      });
    },
  );

  it("are closed if a request does not arrive in time, as in a plain HTTP server", async () => {
    const server = createHttpServer({
      headersTimeout: 20,
      requestTimeout: 20,
      connectionsCheckingInterval: 10,
    });
    const listeners = await openListeners({
      server,
      setting: "--host",
      addresses: [parseListenAddress("127.0.0.1")],
      port: 0,
      pair: undefined,
      limits: { perAddress: 0, proxies: [] },
      log: pino({ level: "silent" }),
    });
    const port = Number(new URL(listeners.urls[0] ?? "").port);
    const { closed } = await rawTo({ port }, "GET / HTTP/1.1\r\n");
    expect(parseRaw(await closed).status).toBe(408);
    const ended = listeners.close();
    server.close();
    await ended;
  });

  it.each([["http", {}] as const, ["https", WITH_TLS] as const])(
    "are drained: new ones are refused, idle ones closed, and answers completed: %s",
    async (_, config) => {
      const release = deferred();
      const engine = new ScriptedEngine(
        () => ({
          parts: ["a", "b"],
          before: (index) => (index === 1 ? release.promise : undefined),
        }),
        { slots: 4 },
      );
      const path = await socketPath();
      const host = ["127.0.0.1", `unix:${path}`];
      const { app, entrance, url, port } = await open({ config: { ...config, host }, engine });
      const get = client({ ca: firstCertificate.cert });
      const idle = await rawTo({ path }, health);
      await eventually(() => expect(idle.received()).toContain("200 OK"));
      const answer = get(`${url}/v1/chat/completions`, chat({ stream: true }));
      await eventually(() => expect(engine.started).toHaveLength(1));

      app.drain();
      let isClosed = false;
      const closed = entrance.close().then(() => {
        isClosed = true;
      });
      expect(existsSync(path)).toBe(false);
      await expect(rawTo({ port })).rejects.toThrow("ECONNREFUSED");
      await expect(rawTo({ path })).rejects.toThrow("ENOENT");
      await idle.closed;
      expect(isClosed).toBe(false);
      release.resolve();
      expect(await (await answer).text()).toContain("data: [DONE]");
      // A connection whose stream had started stays open until the client closes it.
      entrance.destroyConnections();
      await closed;
    },
  );
});

describe("a Unix socket listener", () => {
  it("answers requests for localhost, and is accessible only to its owner and group", async () => {
    const path = await socketPath();
    const { url, log } = await open({ config: { host: [`unix:${path}`] } });
    expect(url).toBe(`unix:${path}`);
    expect(statSync(path).mode & 0o777).toBe(0o660);
    const get = client({ socketPath: path });
    const answer = await get("http://localhost/v1/chat/completions", chat({}));
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "ab" } }] });
    expect((await get("http://llm.example.com/health/live")).status).toBe(403);
    await eventually(() =>
      expect(log).toContainEqual(
        expect.objectContaining({ path: "/v1/chat/completions", client: "unix" }),
      ),
    );
  });

  it("has no per-address connection limit, because its clients have no address", async () => {
    const path = await socketPath();
    const config = { host: [`unix:${path}`], maxConnectionsPerAddress: 1 };
    await open({ config });
    for (let count = 0; count < 3; count++) {
      const { received } = await rawTo({ path }, health);
      await eventually(() => expect(received()).toContain("200 OK"));
    }
  });

  it("trusts proxy headers if configured", async () => {
    const path = await socketPath();
    const { log } = await open({
      config: { host: [`unix:${path}`], trustProxy: ["unix", "10.0.0.9"] },
    });
    const get = client({ socketPath: path });
    const from = async (forwarded: string) => {
      await get("http://localhost/health/live", { headers: { "x-forwarded-for": forwarded } });
      return eventually(() => {
        const line = log.shift();
        expect(line).toHaveProperty("client");
        return line?.client;
      });
    };
    expect(await from("1.2.3.4")).toBe("1.2.3.4");
    expect(await from("9.9.9.9, 1.2.3.4, 10.0.0.9")).toBe("1.2.3.4");
    expect(await from("not an address")).toBe("not an address");
  });

  it("replaces the socket file of a killed daemon", async () => {
    const path = await socketPath();
    // The file remains because it was renamed before the server closed.
    const other = `${path}.before`;
    const server = createServer().listen(other);
    await once(server, "listening");
    renameSync(other, path);
    server.close();
    await once(server, "close");
    expect(existsSync(path)).toBe(true);

    const { entrance } = await open({ config: { host: [`unix:${path}`] } });
    expect((await client({ socketPath: path })("http://localhost/health/live")).status).toBe(200);
    const closed = entrance.close();
    entrance.destroyConnections();
    await closed;
    expect(existsSync(path)).toBe(false);
  });

  it("refuses to replace the socket of a running daemon", async () => {
    const path = await socketPath();
    await open({ config: { host: [`unix:${path}`] } });
    const message = `--host unix:${path}: another process is listening; choose another path`;
    await expect(open({ config: { host: [`unix:${path}`] } })).rejects.toThrow(message);
    await expect(
      expectFreeAddresses({ ...CONFIG, host: ["127.0.0.1", `unix:${path}`] }),
    ).rejects.toThrow(message);
    expect((await client({ socketPath: path })("http://localhost/health/live")).status).toBe(200);
  });

  it("refuses to replace a file that is not a socket", async () => {
    const path = await socketPath();
    writeFileSync(path, "precious");
    await expect(open({ config: { host: [`unix:${path}`] } })).rejects.toThrow(
      `--host unix:${path}: expected an unused path or a socket, got another kind of file`,
    );
    expect(existsSync(path)).toBe(true);
  });

  it("fails if the folder does not exist", async () => {
    await expect(open({ config: { host: ["unix:/nowhere/at/all.sock"] } })).rejects.toThrow(
      "--host unix:/nowhere/at/all.sock: expected the folder /nowhere/at to exist",
    );
  });

  it.skipIf(process.getuid?.() === 0)("fails if the folder is not writable", async () => {
    const folder = await temporaryFolder();
    chmodSync(folder, 0o500);
    await expect(open({ config: { host: [`unix:${folder}/a.sock`] } })).rejects.toThrow(
      `--host unix:${folder}/a.sock: permission denied while creating the socket`,
    );
  });

  it("uses plain HTTP even if the TCP listeners use TLS", async () => {
    const path = await socketPath();
    const { entrance } = await open({
      config: { ...WITH_TLS, host: [`unix:${path}`, "127.0.0.1"] },
    });
    expect(entrance.urls).toEqual([
      `unix:${path}`,
      expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
    ]);
    expect((await client({ socketPath: path })("http://localhost/health/live")).status).toBe(200);
    const get = client({ ca: firstCertificate.cert });
    expect((await get(`${entrance.urls[1]}/health/live`)).status).toBe(200);
  });
});

describe("listening on several addresses", () => {
  it("uses one port, which may be chosen by the system", async () => {
    const { entrance, port } = await open({ config: { host: ["127.0.0.1", "127.0.0.2"] } });
    expect(entrance.urls).toEqual([`http://127.0.0.1:${port}`, `http://127.0.0.2:${port}`]);
    for (const url of entrance.urls) {
      expect((await fetch(`${url}/health/live`)).status).toBe(200);
    }
  });

  it("covers both addresses of localhost, if it has two", async () => {
    const { entrance, port } = await open({ config: { host: ["localhost"] } });
    const [first = "", ...others] = entrance.urls;
    expect([`http://127.0.0.1:${port}`, `http://[::1]:${port}`]).toContain(first);
    expect(others.length).toBeLessThan(2);
    expect((await fetch(`${first}/health/live`)).status).toBe(200);
  });

  it("fails as a whole if one address is in use, with that address in the error", async () => {
    const other = createServer().listen(0, "127.0.0.2");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const path = await socketPath();
    const config = { host: [`unix:${path}`, "127.0.0.1", "127.0.0.2"], port };
    const message = `--port ${port}: already in use on 127.0.0.2; choose another`;
    await expect(open({ config })).rejects.toThrow(message);
    await expect(expectFreeAddresses({ ...CONFIG, ...config })).rejects.toThrow(message);
    expect(existsSync(path)).toBe(false);
    await expect(rawTo({ port, host: "127.0.0.1" })).rejects.toThrow("ECONNREFUSED");
  });

  it("reports an address that this machine does not have", async () => {
    await expect(open({ config: { host: ["127.0.0.1", "192.0.2.1"] } })).rejects.toThrow(
      /^--host 192\.0\.2\.1 --port \d+: cannot listen: /,
    );
  });

  it("is possible after a check that all addresses are free", async () => {
    const path = await socketPath();
    const config = { ...CONFIG, host: ["127.0.0.1", "127.0.0.2", `unix:${path}`] };
    await expectFreeAddresses(config);
    expect(existsSync(path)).toBe(false);
    const { entrance } = await open({ config });
    expect(entrance.urls).toHaveLength(3);
  });
});
