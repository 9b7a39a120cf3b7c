import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { platform } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { inspectWorker } from "../../src/engine/devices/inspect-worker.js";
import { eventually } from "../support/eventually.js";
import { launchWorker, type StartedWorker, startWorker } from "./started-worker.js";

const MEMORY = ["--memory", "0.0625"];
const MEMORY_BYTES = 2 ** 26;

/** Size of `rpc_tensor` in `ggml-rpc.cpp`, and the offset of its buffer. */
const TENSOR_BYTES = 296;
const BUFFER_OFFSET = 12;

function send(socket: Socket, command: number, content: Buffer): void {
  const header = Buffer.alloc(9);
  header.writeUInt8(command);
  header.writeBigUInt64LE(BigInt(content.length), 1);
  socket.write(Buffer.concat([header, content]));
}

/** Receives an answer: its length in 8 bytes, and as many bytes. */
async function receive(socket: Socket): Promise<Buffer> {
  let answer = Buffer.alloc(0);
  while (answer.length < 8 || answer.length < 8 + Number(answer.readBigUInt64LE(0))) {
    const [part] = (await once(socket, "data")) as [Buffer];
    answer = Buffer.concat([answer, part]);
  }
  return answer;
}

/** Allocates a buffer (ALLOC_BUFFER); returns its address in the worker, 0 if it is refused. */
async function allocate(socket: Socket, bytes: number): Promise<bigint> {
  const content = Buffer.alloc(12);
  content.writeBigUInt64LE(BigInt(bytes), 4);
  send(socket, 0, content);
  return (await receive(socket)).readBigUInt64LE(8);
}

/** Greets a worker by hand. */
async function greet({ port }: StartedWorker) {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write(Buffer.from(`0e1800000000000000${"00".repeat(24)}`, "hex"));
  return { socket, greeting: await receive(socket) };
}

describe.runIf(platform() === "linux")("ggufd worker", () => {
  it("offers the memory of the CPU, and less of it while a client has buffers", async () => {
    const worker = await startWorker(MEMORY);
    const whole = [{ freeBytes: MEMORY_BYTES, totalBytes: MEMORY_BYTES }];
    expect(await inspectWorker(worker.address)).toEqual(whole);
    const { socket } = await greet(worker);
    expect(await allocate(socket, MEMORY_BYTES + 1)).toBe(0n);
    expect(await allocate(socket, MEMORY_BYTES / 2)).not.toBe(0n);
    expect(await allocate(socket, MEMORY_BYTES)).toBe(0n);
    await eventually(async () => {
      const [device] = await inspectWorker(worker.address);
      expect(device?.freeBytes).toBe(MEMORY_BYTES / 2);
    });
    socket.destroy();
    await eventually(async () => expect(await inspectWorker(worker.address)).toEqual(whole));
  });

  it("offers the free memory of the machine without a limit", async () => {
    const { address } = await startWorker();
    const [device] = await inspectWorker(address);
    expect(device?.freeBytes).toBeGreaterThan(MEMORY_BYTES);
    expect(device?.freeBytes).toBeLessThanOrEqual(device?.totalBytes ?? 0);
  });

  it("serves several clients at once, and reports one of another version", async () => {
    const worker = await startWorker(MEMORY);
    const [first, second] = await Promise.all([greet(worker), greet(worker)]);
    expect(second.greeting).toEqual(first.greeting);
    const older = connect(worker.port, "127.0.0.1");
    // The greeting of earlier versions, without capabilities.
    older.write(Buffer.from("0e0000000000000000", "hex"));
    await once(older.resume(), "close");
    await eventually(() =>
      expect(worker.output.stderr).toMatch(
        /^ggufd worker: 127\.0\.0\.1:\d+: .*client needs upgrade to protocol v7/m,
      ),
    );
    expect([first.socket.destroyed, second.socket.destroyed]).toEqual([false, false]);
    expect(await inspectWorker(worker.address)).toHaveLength(1);
  });

  it("survives a client whose request makes an assertion fail", async () => {
    const worker = await startWorker(MEMORY);
    const { socket } = await greet(worker);
    // A tensor whose data are not in its buffer (INIT_TENSOR).
    const tensor = Buffer.alloc(TENSOR_BYTES);
    tensor.writeBigUInt64LE(await allocate(socket, 4096), BUFFER_OFFSET);
    send(socket, 12, tensor);
    await once(socket.resume(), "close");
    await eventually(() =>
      expect(worker.output.stderr).toMatch(/: its process has ended: SIGABRT/),
    );
    expect(await inspectWorker(worker.address)).toHaveLength(1);
  });

  it("ends at a signal, with its connections", async () => {
    const worker = await startWorker(MEMORY);
    const { socket } = await greet(worker);
    const closed = once(socket.resume(), "close");
    worker.child.kill("SIGTERM");
    expect((await worker.exited).code).toBe(0);
    await closed;
  });

  it("reports an address that is in use, and one that other machines can reach", async () => {
    const { address } = await startWorker(MEMORY);
    const second = await launchWorker(["--gpu", "off", "--listen", address]).exited;
    expect(second).toMatchObject({
      code: 1,
      stderr: `ggufd: --listen ${address}: cannot be used: another program uses it\n`,
    });
    const open = await launchWorker(["--listen", "0.0.0.0:0"]).exited;
    expect(open.code).toBe(1);
    expect(open.stderr).toMatch(/^ggufd: --listen 0\.0\.0\.0:0: expected a loopback address/);
  });
});
