import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request that a stand-in has got. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

export type Handler = (request: SeenRequest, response: ServerResponse) => unknown;

/** Loopback server that simulates a network server and records its requests. */
export class StandIn {
  readonly requests: SeenRequest[] = [];
  readonly #server: Server;
  readonly port: number;

  /** Ends when the test does. */
  static async start(handler: Handler): Promise<StandIn> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const standIn = new StandIn(server, handler);
    onTestFinished(() => standIn.close());
    return standIn;
  }

  private constructor(server: Server, handler: Handler) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on("request", ({ method = "", url = "", headers }, response) => {
      const request = { method, target: url, headers };
      this.requests.push(request);
      response.on("error", () => undefined);
      handler(request, response);
    });
  }

  close(onClosed?: () => void): void {
    this.#server.close(onClosed);
    this.#server.closeAllConnections();
  }

  /** Breaks all connections; new ones are answered. */
  closeConnections(): void {
    this.#server.closeAllConnections();
  }

  /**
   * Origin by address; the same server by another name, {@link otherOrigin}, is another host to its
   * clients.
   */
  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get otherOrigin(): string {
    return `http://localhost:${this.port}`;
  }
}

export function sendJson(response: ServerResponse, value: unknown, headers = {}): unknown {
  response.writeHead(200, { "content-type": "application/json", ...headers });
  return response.end(JSON.stringify(value));
}

export function sendStatus(response: ServerResponse, status: number, headers = {}): unknown {
  response.writeHead(status, headers);
  return response.end();
}
