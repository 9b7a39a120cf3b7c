import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { StartupError } from "../core/startup-error.js";
import { sumBy } from "../core/sum-by.js";
import type { BackendChoice } from "../engine/native/llama-backend.js";
import { type Channel, forkProcess } from "./process-channel.js";
import type {
  FromWorkerProcess,
  OfferableDevice,
  ToWorkerProcess,
  WorkerOffer,
} from "./worker-protocol.js";

export interface WorkerServerOptions {
  readonly offer: WorkerOffer;
  /** Memory that all clients may use on each device, in bytes; `undefined`: all free memory. */
  readonly memoryBytes: number | undefined;
  /** Receives lines about connections and errors. */
  readonly log: (line: string) => void;
}

/** Maximum number of simultaneous clients, each with a process. */
const MAX_CLIENTS = 16;

const WORKER_PROCESS = new URL("./worker-main.js", import.meta.url);

/** A connected client and the process that serves it. */
interface Client {
  readonly channel: Channel<ToWorkerProcess>;
  usedBytes: readonly number[];
}

/**
 * Accepts the connections of engines and serves each in a process, in place of llama.cpp's server,
 * which serves one client at a time. A client that sends malformed requests ends its own process
 * only, and the system frees the memory of a client that has gone.
 */
export class WorkerServer {
  readonly #options: WorkerServerOptions;
  readonly #server: Server;
  readonly #clients = new Set<Client>();

  private constructor(options: WorkerServerOptions) {
    this.#options = options;
    // The process of a client reads its requests; this process reads none of them.
    this.#server = createServer({ pauseOnConnect: true }, (socket) => this.#accept(socket));
  }

  /**
   * Listens at an address.
   * @param port 0: any free port
   * @throws {StartupError} the address cannot be used
   */
  static async start(
    options: WorkerServerOptions,
    { host, port }: { readonly host: string; readonly port: number },
  ): Promise<WorkerServer> {
    const worker = new WorkerServer(options);
    worker.#server.listen(port, host);
    try {
      await once(worker.#server, "listening");
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === "EADDRINUSE" ? "another program uses it" : message;
      throw new StartupError(`--listen ${host}:${port}: cannot be used: ${reason}`, error);
    }
    return worker;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends all connections and stops listening. */
  close(): void {
    this.#server.close();
    for (const { channel } of this.#clients) channel.kill();
  }

  #accept(socket: Socket): void {
    const { offer, log } = this.#options;
    const name = `${socket.remoteAddress}:${socket.remotePort}`;
    socket.on("error", () => undefined);
    if (this.#clients.size >= MAX_CLIENTS) {
      log(`${name}: refused: ${MAX_CLIENTS} clients are connected`);
      socket.destroy();
      return;
    }
    const descriptor = descriptorOf(socket);
    if (descriptor === undefined) return void socket.destroy();
    log(`${name}: connected`);
    let isFinished = false;
    const client: Client = {
      channel: forkProcess<ToWorkerProcess, FromWorkerProcess>(
        WORKER_PROCESS,
        {
          onMessage: (report) => {
            if (report.type === "log") log(`${name}: ${report.message}`);
            if (report.type === "used") client.usedBytes = report.bytes;
            if (report.type !== "disconnected" && report.type !== "failed") return;
            isFinished = true;
            log(report.type === "failed" ? `${name}: ${report.reason}` : `${name}: disconnected`);
            client.channel.kill();
          },
          onEnd: (reason) => {
            if (!this.#clients.delete(client) || isFinished || !this.#server.listening) return;
            log(`${name}: the connection ended: its process has ended: ${reason}`);
          },
        },
        { sharedDescriptor: descriptor },
      ),
      usedBytes: [],
    };
    // The process has inherited the connection.
    socket.destroy();
    const limits = offer.devices.map((_, device) => this.#computeLimit(device));
    this.#clients.add(client);
    client.channel.send({ type: "serve", offer, limits });
  }

  /** Returns the memory that the other clients leave on a device. */
  #computeLimit(device: number): number | undefined {
    const { memoryBytes } = this.#options;
    if (memoryBytes === undefined) return undefined;
    const usedBytes = sumBy([...this.#clients], (client) => client.usedBytes[device] ?? 0);
    return Math.max(0, memoryBytes - usedBytes);
  }
}

/** Returns the file descriptor of a socket; `undefined` once the client has disconnected. */
function descriptorOf(socket: Socket): number | undefined {
  const { _handle: handle } = socket as unknown as {
    readonly _handle: { readonly fd: number } | null;
  };
  return handle === null || handle.fd < 0 ? undefined : handle.fd;
}

/**
 * Lists the devices of this machine in a separate process, because a driver may crash it.
 * @throws {StartupError} the backend cannot be loaded
 */
export function listOfferableDevices(gpu: BackendChoice): Promise<readonly OfferableDevice[]> {
  return new Promise((resolve, reject) => {
    const lister = forkProcess<ToWorkerProcess, FromWorkerProcess>(WORKER_PROCESS, {
      onMessage(report) {
        if (report.type === "devices") resolve(report.devices);
        else if (report.type === "failed") reject(new StartupError(report.reason));
        else return;
        lister.kill();
      },
      onEnd: (reason) =>
        reject(new StartupError(`the devices cannot be listed: the process has ended: ${reason}`)),
    });
    lister.send({ type: "list-devices", gpu });
  });
}
