import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { pino } from "pino";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { TlsHandshakes } from "../../src/http/tls-handshakes.js";
import { firstCertificate } from "../support/certificates.js";
import { openRaw } from "../support/raw-connection.js";

const LIMIT_MS = 10_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
});

/** Server that listens until the end of the test. */
async function listening() {
  let secured: (socket: TLSSocket) => void = () => undefined;
  const secure = new Promise<TLSSocket>((resolve) => {
    secured = resolve;
  });
  const handshakes = new TlsHandshakes({
    pair: firstCertificate,
    limits: { perAddress: 0, proxies: [] },
    log: pino({ level: "silent" }),
    onSecure: (socket) => secured(socket),
    onPlainHttp: (socket) => socket.destroy(),
  });
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  /** Next connection, after starting its handshake. */
  const nextBegun = async (): Promise<Socket> => {
    const [socket] = await once(server, "connection");
    handshakes.begin(socket);
    return socket;
  };
  return { port, secure, nextBegun };
}

it("a TLS handshake has a time limit that starts with the connection", async () => {
  const { port, nextBegun } = await listening();
  const begun = nextBegun();
  const { closed, socket } = await openRaw(port);
  const accepted = await begun;
  vi.advanceTimersByTime(LIMIT_MS - 1);
  // Data from the client does not extend it.
  socket.write("\x16\x03\x01\x02\x00\x01");
  await once(accepted, "readable");
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await closed).toBe("");
});

it("a completed TLS handshake has no time limit", async () => {
  const { port, secure, nextBegun } = await listening();
  void nextBegun();
  const client = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
  onTestFinished(() => void client.destroy());
  const socket = await secure;
  expect(vi.getTimerCount()).toBe(0);
  client.write("still there");
  expect(String((await once(socket, "data"))[0])).toBe("still there");
});
