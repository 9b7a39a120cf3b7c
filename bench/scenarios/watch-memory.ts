import { setInterval } from "node:timers/promises";
import type { ServerMemory } from "../servers/process-memory.js";
import { median } from "../statistics.js";

/** Reads a server's memory at a fixed rate until `stop` is aborted, and then once more. */
export async function watchMemory(
  read: () => ServerMemory,
  intervalMs: number,
  stop: AbortSignal,
): Promise<ServerMemory[]> {
  const readings = [read()];
  try {
    for await (const _ of setInterval(intervalMs, undefined, { signal: stop })) {
      readings.push(read());
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  }
  return [...readings, read()];
}

/** Of all processes of a server, in bytes. */
export function totalBytes({ server, engine }: ServerMemory): number {
  return server + engine;
}

/**
 * How far memory moved while the load went on, in bytes: the median of the last third of the readings minus
 * that of the second. The first third, in which buffers and caches are filled, does not count.
 */
export function driftBytes(readings: readonly ServerMemory[]): number {
  const bytes = readings.map(totalBytes);
  const third = Math.ceil(bytes.length / 3);
  return median(bytes.slice(-third)) - median(bytes.slice(-2 * third, -third));
}

/** The largest reading minus the first one, in bytes. */
export function peakGrowthBytes(readings: readonly ServerMemory[]): number {
  const [first = Number.NaN, ...others] = readings.map(totalBytes);
  return Math.max(first, ...others) - first;
}
