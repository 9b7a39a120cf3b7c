import { once } from "node:events";
import { connect, type Socket } from "node:net";

/**
 * Sends a request over a connection from which nothing is ever read: what the server writes stays in the
 * buffers of both systems, and when these are full, with the server.
 * @param baseUrl of the server, including `/v1`.
 * @param path of the route, relative to `/v1/`.
 * @returns the connection, to be destroyed.
 */
export async function sendDeafly(baseUrl: string, path: string, body: object): Promise<Socket> {
  const { hostname, port, host, pathname } = new URL(path, `${baseUrl}/`);
  const content = JSON.stringify(body);
  const socket = connect({ host: hostname, port: Number(port) });
  // Before it is connected: a flowing socket reads at once.
  socket.pause();
  // When the server gives it up. There is nobody to tell.
  socket.on("error", () => undefined);
  await Promise.race([once(socket, "connect"), once(socket, "close")]);
  socket.write(
    [
      `POST ${pathname} HTTP/1.1`,
      `host: ${host}`,
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(content)}`,
      "connection: close",
      "",
      content,
    ].join("\r\n"),
  );
  return socket;
}
