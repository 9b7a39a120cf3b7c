import autocannon from "autocannon";
import { InputError } from "../../models/command-line/input-error.js";
import { startCpuShare } from "../client/cpu-share.js";
import { isOver, type Load, type LoadResult, type TimedResponse } from "./load.js";

/** Hard limit on a load's duration; the load then ends with the responses received so far. */
const MAX_LOAD_S = 180;
/** Interval at which autocannon checks whether it was stopped. */
const STOP_CHECK_INTERVAL_MS = 20;

/**
 * Runs a load with autocannon, in this process. Times are taken from its events, because its own
 * statistics have a resolution of a millisecond.
 * @throws {InputError} if a request fails or its status is not 2xx
 */
export function runLoad(load: Load): Promise<LoadResult> {
  const { origin, clients } = load;
  return new Promise((resolve, reject) => {
    const responses: TimedResponse[] = [];
    const failures = new Map<string, number>();
    let successes = 0;
    let isStopping = false;
    const cpuShare = startCpuShare();
    const startedAtMs = performance.now();
    const instance = autocannon(
      {
        url: origin,
        connections: clients,
        requests: load.requests.map(({ method, path, body }) => ({
          method,
          path,
          ...(body === undefined ? {} : { body, headers: { "content-type": "application/json" } }),
        })),
        duration: MAX_LOAD_S,
        timeout: 2 * MAX_LOAD_S,
        sampleInt: STOP_CHECK_INTERVAL_MS,
        bailout: 1,
      },
      (error) => {
        clearTimeout(timer);
        if (error) return reject(error);
        if (failures.size === 0) return resolve({ responses, successes, cpuShare: cpuShare() });
        const received = [...failures].map(([reason, count]) => `${count} × ${reason}`).join(", ");
        const requested = `${load.requests[0]?.method} ${origin}${load.requests[0]?.path}`;
        reject(new InputError(`${requested}: expected only 2xx responses, got ${received}`));
      },
    );
    const stopWhenOver = () => {
      const elapsedMs = performance.now() - startedAtMs;
      isStopping ||= failures.size > 0 || isOver(load, responses.length, elapsedMs);
      if (isStopping) instance.stop();
    };
    const onFailure = (reason: string) => {
      failures.set(reason, (failures.get(reason) ?? 0) + 1);
      stopWhenOver();
    };
    const timer = setTimeout(stopWhenOver, load.until.seconds * 1000);
    instance.on("response", (_client, status, _bytes, latencyMs) => {
      if (status < 200 || status > 299) return onFailure(`HTTP ${status}`);
      successes += 1;
      if (isStopping) return;
      responses.push({ afterMs: performance.now() - startedAtMs, latencyMs });
      stopWhenOver();
    });
    instance.on("reqError", (error: Error) => onFailure(error.message));
  });
}
