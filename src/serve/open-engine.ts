import assert from "node:assert/strict";
import type { Engine } from "../core/engine.js";
import { addMemory, type MemoryUse } from "../core/memory-use.js";
import type { ReplicaPlacement } from "../core/replicas.js";
import type { LoadedEngineDescription } from "../engine/engine-description.js";
import type { EngineHooks, EngineSettings } from "../engine/engine-settings.js";
import { sumReplicas, weightSharingOf } from "../engine/memory/replica-memory.js";
import { DecoderPool } from "../process/decoder-pool.js";
import { forkPreparer } from "../process/engine-channel.js";
import { SupervisedEngine, type SupervisedEngineOptions } from "../process/supervised-engine.js";
import { restartBackoffMs } from "../process/supervisor.js";
import type { ReplicaListener, ReplicaStart } from "../replicas/replica-set.js";
import { ReplicatedEngine } from "../replicas/replicated-engine.js";
import { buildReplicaSettings, type PlacedReplica } from "./place-replicas.js";

export interface OpenEngineOptions
  extends Required<Omit<SupervisedEngineOptions, "settings" | "openPreparer" | "hooks">> {
  readonly location: "process" | "inline";
  readonly hooks: EngineHooks;
  /** See `ReplicationListener`. */
  readonly onReplicaCrash: () => void;
}

/** Engine of a model that is loaded. */
type LoadedEngine = Engine & { readonly description: LoadedEngineDescription };

/**
 * Loads a generation model: in this process, in an engine process, or in one for each replica.
 * @param replicas at least one
 * @throws {StartupError} if the model cannot be loaded
 */
export async function openEngine(
  settings: EngineSettings,
  replicas: readonly PlacedReplica[],
  options: OpenEngineOptions,
): Promise<LoadedEngine> {
  if (options.location === "inline") {
    const { createLlamaEngine } = await import("../engine/llama-engine.js");
    return createLlamaEngine(settings, options.hooks, new DecoderPool());
  }
  return replicas.length === 1
    ? SupervisedEngine.start({ ...options, settings, openPreparer: forkPreparer })
    : openReplicas(settings, replicas, options);
}

function openReplicas(
  settings: EngineSettings,
  replicas: readonly PlacedReplica[],
  options: OpenEngineOptions,
): Promise<LoadedEngine> {
  const settingsOfReplicas = buildReplicaSettings(settings, replicas);
  const { hooks, onCrash, onReplicaCrash, onRestored, onRestartFailed } = options;
  const open = ({ index, signal }: ReplicaStart, listener: ReplicaListener) => {
    const replicaSettings = settingsOfReplicas[index];
    assert(replicaSettings !== undefined, `there is no replica ${index}`);
    return SupervisedEngine.start({
      ...options,
      ...listener,
      preparerStart: index === 0 ? options.preparerStart : "on-demand",
      settings: replicaSettings,
      openPreparer: forkPreparer,
      hooks: nameReplica(hooks, index),
      // The other replicas start when the model is loaded, whose loading can no longer be aborted.
      signal: index === 0 ? AbortSignal.any([options.signal, signal]) : signal,
    });
  };
  return ReplicatedEngine.start<LoadedEngineDescription>({
    placements: replicas.map(toPlacement),
    savedBytes: countSavedBytes(settingsOfReplicas),
    sumMemory: (description) => sumMemory(description, settings, replicas.length),
    computeRetryDelayMs: restartBackoffMs,
    log: hooks.log,
    open,
    onCrash,
    onReplicaCrash,
    onRestored,
    onRestartFailed,
  });
}

/** Names the replica in its log; only the first one's progress is that of the model. */
function nameReplica({ log, onProgress, ...hooks }: EngineHooks, index: number): EngineHooks {
  return {
    ...hooks,
    log: (level, message) => log(level, `replica ${index}: ${message}`),
    onProgress: index === 0 ? onProgress : () => undefined,
  };
}

function toPlacement({ devices, cores }: PlacedReplica): ReplicaPlacement {
  return { ...(devices !== undefined && { devices }), ...(cores !== undefined && { cores }) };
}

/** Returns the capacity of a replica for evicted KV states. */
function countSavedBytes([first]: readonly EngineSettings[]): number {
  assert(first !== undefined, "expected at least one replica");
  const { cacheRamMiB, cacheDir, cacheDiskMiB } = first;
  return (cacheRamMiB + (cacheDir === undefined ? 0 : cacheDiskMiB)) * 2 ** 20;
}

/** Returns the memory of all replicas; weights that they map from the same file count once. */
function sumMemory(
  { memory, knownPlan }: LoadedEngineDescription,
  { placement }: EngineSettings,
  count: number,
): MemoryUse {
  if (knownPlan === undefined) return addMemory(Array.from({ length: count }, () => memory));
  return sumReplicas({ plan: knownPlan.plan, count, sharing: weightSharingOf(placement) });
}
