import { readdirSync } from "node:fs";
import { Socket } from "node:net";
import { constants, setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { collectGarbageWhenIdle } from "./idle-garbage.js";
import { killWithDescendants } from "./process-group.js";
import { encodeReport } from "./report-stream.js";

/** Where {@link forkProcess} puts the pipe for reports. */
const REPORTS_DESCRIPTOR = 5;

/**
 * What all processes of the daemon have in common: a name in process lists, and an end that the daemon
 * decides. A service manager signals all of them, but the daemon drains before it stops them.
 * @returns sends a report to the daemon; in order, and without effect when the daemon has ended
 */
export function setUpChild(title: string): (report: { readonly type: string }) => void {
  process.title = title;
  process.on("SIGINT", () => undefined).on("SIGTERM", () => undefined);
  collectGarbageWhenIdle();
  new Worker(new URL("./watch-daemon.js", import.meta.url)).unref();
  // An orderly exit waits for native code.
  process.on("disconnect", () => killWithDescendants(process.pid));
  const reports = new Socket({ fd: REPORTS_DESCRIPTOR, readable: false });
  reports.on("error", () => undefined);
  return (report) => void reports.write(encodeReport(report));
}

/**
 * Has V8's own threads, which compile what runs often, wait for those that compute tokens. Called before other threads
 * are started, in a process that collects garbage on its main thread alone: that one must not wait for them. Only Linux
 * has priorities of threads.
 */
export function lowerHelperThreads(): void {
  if (process.platform !== "linux") return;
  const threads = readdirSync("/proc/self/task").map(Number);
  for (const thread of threads) {
    if (thread !== process.pid) setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  }
}
