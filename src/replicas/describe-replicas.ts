import assert from "node:assert/strict";
import type { LoadedAdapter } from "../core/adapters.js";
import type { EngineDescription } from "../core/engine.js";
import { addMemory, type MemoryUse } from "../core/memory-use.js";
import { sumBy } from "../core/sum-by.js";

/**
 * Describes replicas of a model as one engine, with the slots of all.
 * @param replicas at least one
 * @param memory of all replicas of the model, including replicas that are not described
 */
export function describeReplicas<Description extends EngineDescription>(
  replicas: readonly Description[],
  memory: MemoryUse,
): Description {
  const [first] = replicas;
  assert(first !== undefined, "expected at least one replica");
  const { adapters } = first;
  return {
    ...first,
    model: {
      ...first.model,
      contextSize: Math.min(...replicas.map(({ model }) => model.contextSize)),
    },
    slots: sumBy(replicas, ({ slots }) => slots),
    kvCache: { ...first.kvCache, bytes: sumBy(replicas, ({ kvCache }) => kvCache.bytes) },
    memory,
    device: [...new Set(replicas.map(({ device }) => device))].join(", "),
    ...(adapters !== undefined && {
      adapters: mergeAdapters(replicas.map((one) => one.adapters ?? [])),
    }),
  };
}

/**
 * Merges the adapters of replicas into one list, in which the memory of an adapter is that in all
 * replicas.
 * @param lists adapters of each replica; the first list decides which ones there are
 */
export function mergeAdapters(
  lists: readonly (readonly LoadedAdapter[])[],
): readonly LoadedAdapter[] {
  const [first = []] = lists;
  return first.map((adapter) => {
    const copies = lists.flatMap((list) => list.filter(({ name }) => name === adapter.name));
    return { ...adapter, memory: addMemory(copies.map(({ memory }) => memory)) };
  });
}
