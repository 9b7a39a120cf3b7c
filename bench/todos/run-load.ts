import autocannon from "autocannon";
import { InputError } from "../../models/command-line/input-error.js";
import { startCpuShare } from "../client/cpu-share.js";
import { type Answer, isOver, type Load, type LoadResult } from "./load.js";

/** A load without an end by then ends with the answers that it has. */
const PATIENCE_S = 180;
/** How often autocannon looks whether it is to stop. */
const STOP_CHECK_MS = 20;

/**
 * Makes a load with autocannon, in this process. Times are taken here: autocannon's own have a
 * resolution of a millisecond.
 * @throws {InputError} when an answer is not 2xx, or does not come.
 */
export function runLoad(load: Load): Promise<LoadResult> {
  const { origin, clients } = load;
  return new Promise((resolve, reject) => {
    const answers: Answer[] = [];
    const failures = new Map<string, number>();
    let successes = 0;
    let over = false;
    const cpuShare = startCpuShare();
    const begin = performance.now();
    const instance = autocannon(
      {
        url: origin,
        connections: clients,
        requests: load.requests.map(({ method, path, body }) => ({
          method,
          path,
          ...(body === undefined ? {} : { body, headers: { "content-type": "application/json" } }),
        })),
        duration: PATIENCE_S,
        timeout: 2 * PATIENCE_S,
        sampleInt: STOP_CHECK_MS,
        bailout: 1,
      },
      (error) => {
        clearTimeout(timer);
        if (error) return reject(error);
        if (failures.size === 0) return resolve({ answers, successes, cpuShare: cpuShare() });
        const got = [...failures].map(([reason, times]) => `${times} × ${reason}`).join(", ");
        const asked = `${load.requests[0]?.method} ${origin}${load.requests[0]?.path}`;
        reject(new InputError(`${asked}: expected answers 2xx only, got ${got}`));
      },
    );
    const stopWhenOver = () => {
      over ||= failures.size > 0 || isOver(load, answers.length, performance.now() - begin);
      if (over) instance.stop();
    };
    const failed = (reason: string) => {
      failures.set(reason, (failures.get(reason) ?? 0) + 1);
      stopWhenOver();
    };
    const timer = setTimeout(stopWhenOver, load.until.seconds * 1000);
    instance.on("response", (_client, status, _bytes, latencyMs) => {
      if (status < 200 || status > 299) return failed(`HTTP ${status}`);
      successes += 1;
      if (over) return;
      answers.push({ afterMs: performance.now() - begin, latencyMs });
      stopWhenOver();
    });
    instance.on("reqError", (error: Error) => failed(error.message));
  });
}
