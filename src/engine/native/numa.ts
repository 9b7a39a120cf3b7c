/** llama.cpp's strategies for machines with several NUMA nodes (`ggml_numa_strategy`). */
const NUMA_STRATEGIES = ["distribute", "isolate", "numactl"] as const;

export type NumaStrategy = (typeof NUMA_STRATEGIES)[number];

/**
 * Environment variable with the strategy, which is chosen when a process loads llama.cpp and holds
 * until it ends. Engine processes inherit it; it is also that of the setting.
 */
export const NUMA_VARIABLE = "GGUFD_NUMA";

/** Reads the strategy from the environment of a process; `undefined`: none. */
export function readNumaStrategy(environment: NodeJS.ProcessEnv): NumaStrategy | undefined {
  return NUMA_STRATEGIES.find((strategy) => strategy === environment[NUMA_VARIABLE]);
}
