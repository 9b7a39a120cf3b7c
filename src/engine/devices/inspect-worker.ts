import { connect, type Socket } from "node:net";
import { formatReason } from "../../core/format-reason.js";
import { WorkerError } from "../../core/startup-error.js";

/** Memory of a device that a worker offers. */
export interface WorkerDevice {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Version of llama.cpp's RPC; engine and worker need the same major version. */
interface RpcVersion {
  readonly major: number;
  readonly minor: number;
}

/**
 * Version of the pinned llama.cpp (`RPC_PROTO_MAJOR_VERSION` in `ggml-rpc.h`). A native test
 * compares it with the addon's.
 */
export const RPC_VERSION: RpcVersion = { major: 7, minor: 0 };

/** Commands of `ggml-rpc.cpp` (`rpc_cmd`). */
const COMMANDS = { deviceMemory: 11, hello: 14, deviceCount: 15 } as const;

/** Bytes of the capabilities in a greeting (`RPC_CONN_CAPS_SIZE`); zeros mean plain TCP. */
const CAPABILITY_BYTES = 24;
/** Bytes of a version, padded. Versions before 7 answer a greeting with three bytes. */
const VERSION_BYTES = 4;
const OLDER_VERSION_BYTES = 3;
/** A worker starts a process for each connection. */
const LIMIT_MS = 15_000;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused; start "ggufd worker" there',
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "its name cannot be resolved",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no route to it",
  ECONNRESET: "it closed the connection",
};

/**
 * Checks that a worker answers and speaks this version of llama.cpp's RPC, whose own code ends the
 * process otherwise.
 * @param address IPv4 address or host name, and port
 * @returns the devices that it offers
 * @throws {WorkerError} states what was expected and what came
 */
export async function inspectWorker(
  address: string,
  limitMs = LIMIT_MS,
): Promise<readonly WorkerDevice[]> {
  const [host = "", port] = address.split(":");
  const limit = AbortSignal.timeout(limitMs);
  const socket = connect({ host, port: Number(port), family: 4 });
  limit.addEventListener("abort", () => socket.destroy());
  try {
    return await readDevices(new Conversation(socket));
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const reason = limit.aborted
      ? `no answer within ${limitMs / 1000} s; llama.cpp's rpc-server serves one client at a time`
      : (REASONS[code] ?? formatReason(error));
    throw createWorkerError(address, reason, error);
  } finally {
    socket.destroy();
  }
}

/** Creates the error of a worker that cannot be used for a reason. */
export function createWorkerError(address: string, reason: string, cause: unknown): WorkerError {
  return new WorkerError(address, `--rpc ${address}: ${reason}`, cause);
}

async function readDevices(conversation: Conversation): Promise<readonly WorkerDevice[]> {
  await greet(conversation);
  const count = (await conversation.ask(COMMANDS.deviceCount, NOTHING, 4)).readUInt32LE();
  const devices: WorkerDevice[] = [];
  for (let index = 0; index < count; index++) {
    const device = Buffer.alloc(4);
    device.writeUInt32LE(index);
    const memory = await conversation.ask(COMMANDS.deviceMemory, device, 16);
    devices.push({
      freeBytes: Number(memory.readBigUInt64LE(0)),
      totalBytes: Number(memory.readBigUInt64LE(8)),
    });
  }
  return devices;
}

const NOTHING = Buffer.alloc(0);

/** @throws {Error} the worker has another version, or is something else */
async function greet(conversation: Conversation): Promise<void> {
  const [major = 0, minor = 0] = await conversation.ask(
    COMMANDS.hello,
    Buffer.alloc(CAPABILITY_BYTES),
    VERSION_BYTES + CAPABILITY_BYTES,
    OLDER_VERSION_BYTES,
  );
  if (major === RPC_VERSION.major && minor <= RPC_VERSION.minor) return;
  throw new Error(
    `expected version ${RPC_VERSION.major}.${RPC_VERSION.minor} of llama.cpp's RPC, got ${major}.${minor}; run the same version of ggufd on both machines`,
  );
}

/** Bytes before each request and each answer that hold its length. */
const LENGTH_BYTES = 8;

/** Requests and answers over a connection, one after another. */
class Conversation {
  readonly #socket: Socket;
  readonly #chunks: AsyncIterator<Buffer>;
  #received = NOTHING;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  /**
   * Sends a request.
   * @param lengths accepted lengths of the answer, in bytes
   * @throws {Error} the answer has another length, or the connection ends
   */
  async ask(command: number, request: Buffer, ...lengths: readonly number[]): Promise<Buffer> {
    const header = Buffer.alloc(1 + LENGTH_BYTES);
    header.writeUInt8(command);
    header.writeBigUInt64LE(BigInt(request.length), 1);
    this.#socket.write(Buffer.concat([header, request]));
    const length = (await this.#take(LENGTH_BYTES)).readBigUInt64LE();
    if (lengths.includes(Number(length))) return this.#take(Number(length));
    throw new Error(
      `expected an answer of ${lengths[0]} bytes, got one of ${length}; it is not a worker, or of another version`,
    );
  }

  async #take(bytes: number): Promise<Buffer> {
    while (this.#received.length < bytes) {
      const { value, done } = await this.#chunks.next();
      if (done) {
        throw new Error("it closed the connection without an answer; it may have another version");
      }
      this.#received = Buffer.concat([this.#received, value]);
    }
    const taken = this.#received.subarray(0, bytes);
    this.#received = this.#received.subarray(bytes);
    return taken;
  }
}
