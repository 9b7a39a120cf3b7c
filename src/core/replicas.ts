import type { EngineStatistics } from "./engine-statistics.js";

/** Devices and cores of one replica of a model. Plain data. */
export interface ReplicaPlacement {
  /** Names of the devices for the layers, as llama.cpp calls them; absent: as configured. */
  readonly devices?: readonly string[];
  /** Numbers of the cores that its threads are bound to; absent: not restricted. */
  readonly cores?: readonly number[];
}

/** Current state of one replica of a model. Plain data. */
export interface ReplicaState {
  /** Position among the model's replicas, from 0. */
  readonly index: number;
  readonly state: "running" | "restarting";
  readonly placement: ReplicaPlacement;
  /** Number of slots. */
  readonly slots: number;
  /** Generations that run or wait in the replica. */
  readonly generations: number;
  readonly device: string;
  readonly statistics?: EngineStatistics | undefined;
}
