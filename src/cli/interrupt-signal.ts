import { constants } from "node:os";

/**
 * Returns a signal that is aborted by the first SIGINT, SIGTERM or SIGHUP. A second one ends the
 * process at once.
 *
 * The listeners stay after the first one: the package signal-exit, which dependencies load, ends
 * the process if its own listeners are the only ones left.
 * @param toReason returns the reason of the abort
 */
export function createInterruptSignal(toReason: (exitCode: number) => Error): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    const exitCode = 128 + constants.signals[name];
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(exitCode);
      controller.abort(toReason(exitCode));
    });
  }
  return controller.signal;
}
