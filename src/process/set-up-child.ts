import { Worker } from "node:worker_threads";
import { killWithDescendants } from "./process-group.js";

/**
 * What all processes of the daemon have in common: a name in process lists, and an end that the daemon
 * decides. A service manager signals all of them, but the daemon drains before it stops them.
 */
export function setUpChild(title: string): void {
  process.title = title;
  process.on("SIGINT", () => undefined).on("SIGTERM", () => undefined);
  new Worker(new URL("./watch-daemon.js", import.meta.url)).unref();
  // An orderly exit waits for native code.
  process.on("disconnect", () => killWithDescendants(process.pid));
}
