import type { AddressInfo } from "node:net";
import type { Engine } from "../../src/core/engine.js";
import type { ScriptedLibrary } from "./scripted-library.js";
import { buildTestApp, type TestAppOptions } from "./test-app.js";

export interface RunningApp {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly library: ScriptedLibrary;
  /** Breaks all connections that there are, as a network does. */
  dropConnections(): void;
  close(): Promise<void>;
}

/** Starts the application with an engine, listening on a free loopback port. */
export async function runApp(engine: Engine, options: TestAppOptions = {}): Promise<RunningApp> {
  const { app, library } = buildTestApp(engine, options);
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    library,
    dropConnections: () => app.server.closeAllConnections(),
    async close() {
      const closed = app.close();
      // Otherwise a connection that a client has opened and never used is waited for.
      app.server.closeAllConnections();
      await closed;
      await engine.close();
    },
  };
}
