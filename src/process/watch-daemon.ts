/**
 * Worker thread in each process that the daemon starts: kills the process and its descendants when
 * the daemon has exited. The daemon holds the other end of a pipe, which the system closes however
 * the daemon exits. The process's main thread would not notice: it may compute in native code for
 * minutes, or hang there.
 */
import { Socket } from "node:net";
import { killWithDescendants } from "./process-group.js";

/** File descriptor that {@link forkProcess} uses for the pipe. */
const PIPE_DESCRIPTOR = 4;

new Socket({ fd: PIPE_DESCRIPTOR })
  .on("error", () => undefined)
  .on("close", () => killWithDescendants(process.pid))
  .resume();
