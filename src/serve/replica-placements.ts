import assert from "node:assert/strict";
import type { ReplicaPlacement } from "../core/replicas.js";
import { sumBy } from "../core/sum-by.js";
import { formatCpuList } from "../engine/threads/cpu-topology.js";
import type { NumaNode } from "../engine/threads/numa-nodes.js";

/** Configured number of replicas. */
export type ReplicaCount = number | "auto";

/** A GPU, with the number of replicas that fit on it together, each as a whole. */
export interface GpuCapacity {
  /** Name as in `--device`, e.g. `CUDA0`. */
  readonly name: string;
  readonly replicas: number;
}

/** Why a number of replicas cannot be placed, and the largest number that can. */
export interface ReplicaRefusal {
  readonly obstacle: string;
  readonly fitting: number;
}

/** Placements of all replicas, or the reason why there are none. */
export type PlacementChoice = { readonly placements: readonly ReplicaPlacement[] } | ReplicaRefusal;

/** A model with one engine, on the devices and cores that are configured. */
const AS_CONFIGURED: PlacementChoice = { placements: [{}] };

/**
 * Distributes replicas over GPUs: each as a whole on one GPU, and as evenly as they fit. `auto` is
 * one on each GPU that the model fits on; a model that fits on none is not replicated, and is split
 * across the GPUs as configured.
 * @param gpus at least one
 */
export function placeOnGpus(count: ReplicaCount, gpus: readonly GpuCapacity[]): PlacementChoice {
  assert(gpus.length > 0, "no GPU to place replicas on");
  const capacity = sumBy(gpus, ({ replicas }) => replicas);
  if (count === 1) return AS_CONFIGURED;
  if (count === "auto") {
    const suited = gpus.filter(({ replicas }) => replicas > 0);
    if (suited.length <= 1) return AS_CONFIGURED;
    return { placements: suited.map(({ name }) => ({ devices: [name] })) };
  }
  if (capacity < count) {
    const rooms = gpus.map(({ name, replicas }) => `${replicas} on ${name}`).join(", ");
    return {
      obstacle: `--replicas ${count}: each replica needs a GPU that all its layers fit on, and ${capacity} fit: ${rooms}`,
      fitting: Math.max(1, capacity),
    };
  }
  // Round by round: each GPU gets a replica as long as there is one left and it fits.
  const rounds = Array.from({ length: count }, (_, round) =>
    gpus.filter(({ replicas }) => replicas > round),
  );
  return {
    placements: rounds
      .flat()
      .slice(0, count)
      .map(({ name }) => ({ devices: [name] })),
  };
}

/** Cores of a machine without a GPU for the model. */
export interface CoreSupply {
  /** NUMA nodes with the cores of each; empty: the system does not list them. */
  readonly nodes: readonly NumaNode[];
  /** Threads that can run at the same time, within a container's limit. */
  readonly parallelism: number;
  /** Configured compute threads of each replica. */
  readonly threads: number | "auto";
}

/**
 * Gives replicas disjoint cores: whole NUMA nodes if there are enough, else parts of one node, of
 * whole physical cores if there are enough. `auto` is one replica per node.
 */
export function placeOnCores(count: ReplicaCount, supply: CoreSupply): PlacementChoice {
  const { nodes, parallelism, threads } = supply;
  const replicas = count === "auto" ? Math.max(1, nodes.length) : count;
  if (replicas === 1) return AS_CONFIGURED;
  const listed = sumBy(nodes, (node) => node.flat().length);
  const cores = nodes.length === 0 ? parallelism : Math.min(parallelism, listed);
  // With one configured thread each, replicas may share cores: none needs a core alone.
  if (replicas > cores && threads !== 1) {
    return {
      obstacle: `--replicas ${replicas}: expected at most ${cores}, the number of cores`,
      fitting: Math.max(1, cores),
    };
  }
  if (nodes.length === 0 || replicas > cores)
    return { placements: Array.from({ length: replicas }, () => ({})) };
  const placements = divideCores(nodes, replicas).map((part) => ({ cores: part }));
  const fewest = Math.min(...placements.map((placement) => placement.cores.length));
  if (threads !== "auto" && threads > fewest) {
    return {
      obstacle: `--replicas ${replicas}: each replica has ${fewest} of ${listed} cores, fewer than --threads ${threads}`,
      fitting: Math.max(1, Math.floor(listed / threads)),
    };
  }
  return { placements };
}

/** @returns the logical cores of each replica, in ascending order of their nodes */
function divideCores(nodes: readonly NumaNode[], replicas: number): readonly (readonly number[])[] {
  if (replicas <= nodes.length) return divideEvenly(nodes, replicas).map((part) => part.flat(2));
  const shares = apportion(
    nodes.map((node) => node.flat().length),
    replicas,
  );
  return nodes.flatMap((node, index) => splitNode(node, shares[index] ?? 0));
}

/**
 * Distributes replicas over nodes: one each, and the others in proportion to the cores, by the
 * highest averages (D'Hondt). No node gets more replicas than it has cores.
 * @param cores number of logical cores of each node; at most one node per replica
 */
function apportion(cores: readonly number[], replicas: number): readonly number[] {
  const shares = cores.map(() => 1);
  for (let replica = cores.length; replica < replicas; replica++) {
    const averages = cores.map((count, node) => count / ((shares[node] ?? 0) + 1));
    const winner = averages.indexOf(Math.max(...averages));
    shares[winner] = (shares[winner] ?? 0) + 1;
  }
  return shares;
}

function splitNode(node: NumaNode, parts: number): readonly (readonly number[])[] {
  if (parts <= node.length) return divideEvenly(node, parts).map((cores) => cores.flat());
  return divideEvenly(node.flat(), parts);
}

/** Divides a list into consecutive parts whose lengths differ by at most one. */
function divideEvenly<Item>(items: readonly Item[], parts: number): readonly (readonly Item[])[] {
  return Array.from({ length: parts }, (_, part) =>
    items.slice(
      Math.floor((part * items.length) / parts),
      Math.floor(((part + 1) * items.length) / parts),
    ),
  );
}

/** Formats the devices and cores of a replica: `CUDA0`, `cores 0-3`, `as configured`. */
export function describePlacement({ devices = [], cores = [] }: ReplicaPlacement): string {
  const parts = [...devices, ...(cores.length === 0 ? [] : [`cores ${formatCpuList(cores)}`])];
  return parts.length === 0 ? "as configured" : parts.join(", ");
}
