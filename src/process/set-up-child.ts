import { readdirSync } from "node:fs";
import { Socket } from "node:net";
import { constants, setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { collectGarbageWhenIdle } from "./idle-garbage.js";
import { killWithDescendants } from "./process-group.js";
import { encodeReport } from "./report-stream.js";

/** File descriptor that {@link forkProcess} uses for the pipe for reports. */
const REPORTS_DESCRIPTOR = 5;

/**
 * Sets up a process of the daemon: sets its name in process lists, makes it ignore SIGINT and
 * SIGTERM, and kills it when the daemon exits. A service manager signals all processes, but the
 * daemon drains requests before it stops its children.
 * @returns sends a report to the daemon, in order; without effect after the daemon has exited
 */
export function setUpChild(title: string): (report: { readonly type: string }) => void {
  process.title = title;
  process.on("SIGINT", () => undefined).on("SIGTERM", () => undefined);
  collectGarbageWhenIdle();
  new Worker(new URL("./watch-daemon.js", import.meta.url)).unref();
  // An orderly exit would wait for native code.
  process.on("disconnect", () => killWithDescendants(process.pid));
  const reports = new Socket({ fd: REPORTS_DESCRIPTOR, readable: false });
  reports.on("error", () => undefined);
  return (report) => void reports.write(encodeReport(report));
}

/**
 * Lowers the priority of V8's helper threads, which compile hot functions, below the threads that
 * compute tokens. To be called before other threads start, in a process that collects garbage on
 * its main thread only, so that the main thread never waits for helper threads. Only Linux has
 * thread priorities.
 */
export function lowerHelperThreads(): void {
  if (process.platform !== "linux") return;
  const threads = readdirSync("/proc/self/task").map(Number);
  for (const thread of threads) {
    if (thread !== process.pid) setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  }
}
