import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How often a process looks whether it has had anything to do. */
const LOOK_EVERY_MS = 10_000;
/** Of that time, what its event loop is busy for at most where it has not. */
const MAX_IDLE_SHARE = 0.02;
/** What the heap has grown by since the last collection where another one is worth its time, in bytes. */
const MIN_GROWTH_BYTES = 16 * 2 ** 20;

/** A heap whose garbage can be collected. */
export interface CollectableHeap {
  usedBytes(): number;
  /** The share of the time since the last call in which the event loop was busy, 0 to 1. */
  busyShare(): number;
  /** Collects all garbage, and gives the system its memory back. */
  collect(): void;
}

/**
 * Has this process give the memory of its garbage back when it has nothing to do. V8 does so by itself, but takes for idle
 * what allocates little, as a process does that passes tokens on: seconds after a start it would mark the whole heap two or
 * three times beside the threads that compute, a tenth of a second of a core for each process.
 */
export function collectGarbageWhenIdle(heap: CollectableHeap = ownHeap()): void {
  let usedBytesBefore = 0;
  const look = () => {
    const isIdle = heap.busyShare() <= MAX_IDLE_SHARE;
    if (!isIdle || heap.usedBytes() - usedBytesBefore < MIN_GROWTH_BYTES) return;
    heap.collect();
    usedBytesBefore = heap.usedBytes();
  };
  setInterval(look, LOOK_EVERY_MS).unref();
}

/** The heap of this thread; from the first call on V8 leaves it to the caller when memory is given back. */
export function ownHeap(): CollectableHeap {
  setFlagsFromString("--no-memory-reducer");
  let last = performance.eventLoopUtilization();
  return {
    usedBytes: () => getHeapStatistics().used_heap_size,
    busyShare: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    collect: () => {
      // Contexts that are made afterwards have the function.
      setFlagsFromString("--expose-gc");
      const gc: () => void = runInNewContext("gc");
      gc();
    },
  };
}
