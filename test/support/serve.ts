import { afterAll } from "vitest";
import type { Engine } from "../../src/core/engine.js";
import { runApp } from "./running-app.js";
import type { TestAppOptions } from "./test-app.js";

/** Connection details of a server. */
export interface Served {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
}

/** Serves an engine, as `ALIAS`, to the clients of a test file (or of a `describe`) until its tests have run. */
export async function serve(engine: Engine, options: TestAppOptions = {}): Promise<Served> {
  const { url, close } = await runApp(engine, options);
  afterAll(close);
  return { url };
}
