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

/** Memory of all processes of a server, in bytes. */
export function totalBytes({ server, engine }: ServerMemory): number {
  return server + engine;
}

/**
 * Drift of the memory under load, in bytes: the median of the last third of the readings minus that
 * of the second third. The first third, in which buffers and caches fill, does not count.
 */
export function driftBytes(readings: readonly ServerMemory[]): number {
  const bytes = readings.map(totalBytes);
  const third = Math.ceil(bytes.length / 3);
  return median(bytes.slice(-third)) - median(bytes.slice(-2 * third, -third));
}

/** Largest reading minus the first one, in bytes. */
export function peakGrowthBytes(readings: readonly ServerMemory[]): number {
  const [first = Number.NaN, ...others] = readings.map(totalBytes);
  return Math.max(first, ...others) - first;
}
