import { once } from "node:events";
import { connect, type Socket } from "node:net";

/**
 * Sends a request over a connection that is never read from: the server's output fills the socket
 * buffers on both ends, and then the server's own.
 * @param baseUrl of the server, including `/v1`
 * @param path of the route, relative to `/v1/`
 * @returns the connection, which the caller destroys
 */
export async function sendDeafly(baseUrl: string, path: string, body: object): Promise<Socket> {
  const { hostname, port, host, pathname } = new URL(path, `${baseUrl}/`);
  const content = JSON.stringify(body);
  const socket = connect({ host: hostname, port: Number(port) });
  // Paused before it is connected, because a flowing socket reads at once.
  socket.pause();
  // The server may reset the connection; this is expected and ignored.
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
