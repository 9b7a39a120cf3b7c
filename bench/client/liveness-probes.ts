import { Agent, get } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { formatReason } from "../../src/core/format-reason.js";

/** Pause after an answer, and the most by which a measured stall can be too short. */
const PAUSE_MS = 3;
/** Time without an answer after which a probe counts as failed. */
const PROBE_TIMEOUT_MS = 120_000;

/** One request to `/health/live`, on the clock of `performance.now()`. */
export interface LivenessProbe {
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  /** Absent if the status was 200. */
  readonly error: string | undefined;
}

/**
 * Probes `/health/live` sequentially over one keep-alive connection until `stop` is aborted. While
 * the server does not answer, the pending probe measures the duration.
 * @param baseUrl of the server, including `/v1`
 */
export async function probeLiveness(baseUrl: string, stop: AbortSignal): Promise<LivenessProbe[]> {
  const url = new URL("/health/live", baseUrl);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const probes: LivenessProbe[] = [];
  while (!stop.aborted) {
    const sentAtMs = performance.now();
    const error = await probe(url, agent);
    probes.push({ sentAtMs, answeredAtMs: performance.now(), error });
    await delay(PAUSE_MS);
  }
  agent.destroy();
  return probes;
}

function probe(url: URL, agent: Agent): Promise<string | undefined> {
  return new Promise((resolve) => {
    const fail = (error: unknown) => resolve(formatReason(error));
    const outgoing = get(url, { agent }, (response) => {
      const { statusCode } = response;
      text(response).then(
        () => resolve(statusCode === 200 ? undefined : `HTTP ${statusCode}`),
        fail,
      );
    });
    outgoing.on("error", fail);
    outgoing.setTimeout(PROBE_TIMEOUT_MS, () =>
      outgoing.destroy(new Error(`no answer for ${PROBE_TIMEOUT_MS / 1000} s`)),
    );
  });
}
