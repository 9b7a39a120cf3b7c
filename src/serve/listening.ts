import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config/settings/settings.js";
import { StartupError } from "../core/startup-error.js";

type Address = Pick<Config, "host" | "port">;

/**
 * Listen backlog. With Node's default of 511, some of a thousand clients that connect at once have
 * to retry after a second. The operating system caps it at its own limit.
 */
const LISTEN_BACKLOG = 4096;

/**
 * Has the server listen.
 * @returns its URL, `http://127.0.0.1:PORT`
 * @throws {StartupError} when it cannot
 */
export async function listen(app: FastifyInstance, { host, port }: Address): Promise<string> {
  try {
    await app.listen({ host, port, backlog: LISTEN_BACKLOG });
  } catch (error) {
    throw cannotListen({ host, port }, error);
  }
  const { address, port: actualPort, family } = app.server.address() as AddressInfo;
  const name = family === "IPv6" ? `[${address}]` : address;
  return `http://${name}:${actualPort}`;
}

/**
 * Listens for a moment, before anything is opened that takes long.
 * @throws {StartupError} when the daemon could not listen now
 */
export async function expectFreePort({ host, port }: Address): Promise<void> {
  const server = createServer().listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw cannotListen({ host, port }, error);
  }
  server.close();
  await once(server, "close");
}

function cannotListen({ host, port }: Address, error: unknown): StartupError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") {
    return new StartupError(`--port ${port}: already in use on ${host}; choose another`, error);
  }
  if (code === "EACCES") {
    return new StartupError(`--port ${port}: this user is not permitted to listen on it`, error);
  }
  return new StartupError(`--host ${host} --port ${port}: cannot listen: ${message}`, error);
}
