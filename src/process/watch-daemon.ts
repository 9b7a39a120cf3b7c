/**
 * Thread of each process that the daemon starts: kills the process, and what that has started, when the daemon has
 * ended. The daemon holds the other end of a pipe, which the system closes however the daemon ends. The process's main
 * thread would not notice: it may be computing in native code for minutes, or for ever.
 */
import { Socket } from "node:net";
import { killWithDescendants } from "./process-group.js";

/** Where {@link forkProcess} puts the pipe. */
const PIPE_DESCRIPTOR = 4;

new Socket({ fd: PIPE_DESCRIPTOR })
  .on("error", () => undefined)
  .on("close", () => killWithDescendants(process.pid))
  .resume();
