import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { WorkerError } from "../../../src/core/startup-error.js";
import { inspectWorker, RPC_VERSION } from "../../../src/engine/devices/inspect-worker.js";
import { freePort } from "../../support/free-port.js";

/** Starts a server for the connections of a test. */
async function serve(handle: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    handle(socket);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An answer of llama.cpp's RPC: its length, and its content. */
function answerOf(...content: readonly number[]): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(content.length));
  return Buffer.concat([length, Buffer.from(content)]);
}

const helloOf = (major: number, minor: number) =>
  answerOf(...[major, minor, 0, 0], ...new Array<number>(24).fill(0));

const greeting = helloOf(RPC_VERSION.major, RPC_VERSION.minor);

const quadword = (value: number) => [...new Uint8Array(new BigUint64Array([BigInt(value)]).buffer)];

/** Answers the requests of a connection one after another, and keeps their commands. */
function scripted(answers: readonly Buffer[]) {
  const requests: Buffer[] = [];
  const left = [...answers];
  const handle = (socket: Socket) =>
    void socket.on("data", (request) => {
      requests.push(request);
      const answer = left.shift();
      // In single bytes, because a network may divide an answer anywhere.
      for (const byte of answer ?? []) socket.write(Buffer.of(byte));
    });
  return { requests, handle };
}

describe("a worker", () => {
  test("is greeted, and reports the memory of its devices", async () => {
    const { requests, handle } = scripted([
      greeting,
      answerOf(2, 0, 0, 0),
      answerOf(...quadword(5 * 2 ** 30), ...quadword(8 * 2 ** 30)),
      answerOf(...quadword(1), ...quadword(2 ** 40)),
    ]);
    expect(await inspectWorker(await serve(handle))).toEqual([
      { freeBytes: 5 * 2 ** 30, totalBytes: 8 * 2 ** 30 },
      { freeBytes: 1, totalBytes: 2 ** 40 },
    ]);
    expect(requests.map((request) => request.toString("hex"))).toEqual([
      `0e${"1800000000000000"}${"00".repeat(24)}`,
      `0f${"0000000000000000"}`,
      `0b${"0400000000000000"}00000000`,
      `0b${"0400000000000000"}01000000`,
    ]);
  });

  test.each([
    [
      "an older version",
      [answerOf(3, 6, 1)],
      /expected version 7\.0 of llama\.cpp's RPC, got 3\.6;/,
    ],
    ["a newer version", [helloOf(8, 0)], /expected version 7\.0 of llama\.cpp's RPC, got 8\.0;/],
    ["a newer minor version", [helloOf(RPC_VERSION.major, 1)], /got 7\.1;/],
    [
      "another protocol",
      [Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
      /expected an answer of 28 bytes, got one of \d+; it is not a worker/,
    ],
    ["no device count", [greeting, answerOf(1)], /expected an answer of 4 bytes, got one of 1;/],
  ])("is refused for %s", async (_, answers, reason) => {
    const address = await serve(scripted(answers).handle);
    const inspection = inspectWorker(address);
    await expect(inspection).rejects.toThrow(reason);
    await expect(inspection).rejects.toThrow(`--rpc ${address}: `);
    await expect(inspection).rejects.toBeInstanceOf(WorkerError);
    await expect(inspection).rejects.toMatchObject({ worker: address });
  });

  test("is refused if it closes the connection", async () => {
    const address = await serve((socket) => void socket.end());
    await expect(inspectWorker(address)).rejects.toThrow(
      /closed the connection without an answer; it may have another version/,
    );
  });

  test("is refused if it does not answer in time", async () => {
    const address = await serve(() => undefined);
    await expect(inspectWorker(address, 50)).rejects.toThrow(
      `--rpc ${address}: no answer within 0.05 s`,
    );
  });

  test("that does not listen is refused with advice", async () => {
    await expect(inspectWorker(`127.0.0.1:${await freePort()}`)).rejects.toThrow(
      /connection refused; start "ggufd worker" there/,
    );
  });
});
