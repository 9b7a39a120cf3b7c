import type { EngineStatistics } from "./engine-statistics.js";
import { sumBy } from "./sum-by.js";

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

/**
 * Returns how many numbered slots a model has: those of all replicas, because the slots of one that
 * is restarting keep their numbers.
 */
export function countNumberedSlots(model: {
  readonly engine: { readonly slots: number };
  readonly replicas?: readonly Pick<ReplicaState, "slots">[] | undefined;
}): number {
  const { engine, replicas } = model;
  return replicas === undefined ? engine.slots : sumBy(replicas, ({ slots }) => slots);
}
