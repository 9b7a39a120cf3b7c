import { type AddressInfo, createServer, type Server } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { bindServers } from "../../src/http/bind-servers.js";

it("chooses another free port if the first one is in use at the next address", async () => {
  const opened: Server[] = [];
  onTestFinished(() => {
    for (const server of opened) server.close();
  });
  const portOf = (server: Server) => (server.address() as AddressInfo).port;
  const made: Server[] = [];
  const other = createServer();
  opened.push(other);
  const bound = await bindServers(
    {
      setting: "--host",
      addresses: [
        { kind: "tcp", host: "127.0.0.1" },
        { kind: "tcp", host: "127.0.0.2" },
      ],
      port: 0,
    },
    () => {
      const [first] = made;
      // Another process binds the port in the meantime.
      if (made.length === 1 && first !== undefined) other.listen(portOf(first), "127.0.0.2");
      const server = createServer();
      made.push(server);
      return server;
    },
  );
  opened.push(...bound.map(({ server }) => server));
  const [port, ...others] = bound.map(({ server }) => portOf(server));
  expect(others).toEqual([port]);
  expect(port).not.toBe(portOf(other));
  expect(made.map(({ listening }) => listening)).toEqual([false, false, true, true]);
});
