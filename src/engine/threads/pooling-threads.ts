import type { Offloading } from "../../core/engine.js";
import { MAX_THREADS_BESIDE_GPU, type ThreadSettings } from "./choose-threads.js";
import { readCpuTopology } from "./cpu-topology.js";

/** Computing threads of a pooling model. All that it reads is read like a prompt, which keeps cores busy. */
export function poolingThreads(
  { threads, threadsBatch }: ThreadSettings,
  offloading: Offloading,
): number {
  if (threadsBatch !== "auto") return threadsBatch;
  if (threads !== "auto") return threads;
  const { performanceCores } = readCpuTopology();
  return offloading === "all-layers"
    ? Math.min(performanceCores, MAX_THREADS_BESIDE_GPU)
    : performanceCores;
}
