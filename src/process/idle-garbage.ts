import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Interval at which a process checks whether it is idle, in milliseconds. */
const CHECK_INTERVAL_MS = 10_000;
/** Maximum share of the interval in which the event loop of an idle process is busy. */
const MAX_BUSY_SHARE = 0.02;
/**
 * Minimum growth of the heap since the last collection that makes another one worthwhile, in bytes.
 */
const MIN_GROWTH_BYTES = 16 * 2 ** 20;

/** JavaScript heap of a thread, with the operations for collecting its garbage when idle. */
export interface CollectableHeap {
  readUsedBytes(): number;
  /** Share of the time since the last call in which the event loop was busy, 0 to 1. */
  measureBusyShare(): number;
  /** Collects all garbage and returns the memory to the system. */
  collect(): void;
}

/**
 * Collects this process's garbage and returns the memory to the system when the process is idle.
 * V8's own memory reducer considers a process idle when it allocates little, even while it forwards
 * tokens. Seconds after a start it would mark the whole heap two or three times while other threads
 * compute, which costs a tenth of a second of a core per process.
 */
export function collectGarbageWhenIdle(heap: CollectableHeap = openThreadHeap()): void {
  let usedBytesBefore = 0;
  const checkHeap = () => {
    const isIdle = heap.measureBusyShare() <= MAX_BUSY_SHARE;
    if (!isIdle || heap.readUsedBytes() - usedBytesBefore < MIN_GROWTH_BYTES) return;
    heap.collect();
    usedBytesBefore = heap.readUsedBytes();
  };
  setInterval(checkHeap, CHECK_INTERVAL_MS).unref();
}

/**
 * Returns the heap of this thread. Disables V8's memory reducer, so that only
 * {@link CollectableHeap.collect} returns memory.
 */
export function openThreadHeap(): CollectableHeap {
  setFlagsFromString("--no-memory-reducer");
  let lastUtilization = performance.eventLoopUtilization();
  return {
    readUsedBytes: () => getHeapStatistics().used_heap_size,
    measureBusyShare: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, lastUtilization);
      lastUtilization = now;
      return utilization;
    },
    collect: () => {
      // Contexts created after this have the `gc` function.
      setFlagsFromString("--expose-gc");
      const gc: () => void = runInNewContext("gc");
      gc();
    },
  };
}
