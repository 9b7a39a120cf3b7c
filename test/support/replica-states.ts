import type { ReplicaState } from "../../src/core/replicas.js";
import { engineStatistics } from "./engine-statistics.js";

/** Two replicas of a model on cores; the second one restarts. */
export const replicaStates: readonly ReplicaState[] = [
  {
    index: 0,
    state: "running",
    placement: { cores: [0, 1] },
    slots: 4,
    generations: 3,
    device: "CPU",
    statistics: engineStatistics,
  },
  {
    index: 1,
    state: "restarting",
    placement: { cores: [2, 3] },
    slots: 4,
    generations: 0,
    device: "CPU",
  },
];
