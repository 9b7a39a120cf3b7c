import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { onTestFinished } from "vitest";

/** Listens on a free loopback port until the end of the test. @returns the port */
export async function listening(app: FastifyInstance): Promise<number> {
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  return (app.server.address() as AddressInfo).port;
}

/** Connection whose bytes are written by the test. */
export interface RawConnection {
  readonly socket: Socket;
  /** Data received so far. */
  readonly received: () => string;
  /** Resolves with all received data once the server has closed the connection. */
  readonly closed: Promise<string>;
}

/** Opens a connection to a port and sends some text. */
export async function openRaw(port: number, text = ""): Promise<RawConnection> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let received = "";
  socket.setEncoding("utf8");
  socket.on("data", (part) => {
    received += part;
  });
  // Data sent to a closed connection is answered by a reset.
  socket.on("error", () => undefined);
  const closed = once(socket, "close").then(() => received);
  await once(socket, "connect");
  socket.write(text);
  return { socket, received: () => received, closed };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Reads one answer that is the last one of its connection. */
export function parseRaw(text: string): RawAnswer {
  const [head = "", ...body] = text.split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = lines.map((line) => {
    const [name = "", ...value] = line.split(": ");
    return [name.toLowerCase(), value.join(": ")];
  });
  return {
    status: Number(statusLine.split(" ")[1]),
    headers: Object.fromEntries(headers),
    body: body.join("\r\n\r\n"),
  };
}
