import assert from "node:assert/strict";

/** An adapter (LoRA) that is applied to the model. */
export interface Adapter {
  /** Names its content: an identity outlives the process, and a path may become another file. */
  readonly id: string;
  /** What its part is multiplied by. */
  readonly scale: number;
}

/** The adapters that keys and values are computed under, in no order. */
export interface AdapterSet {
  /** Ascending by id; none has the scale 0. */
  readonly adapters: readonly Adapter[];
  /** Equal for equal sets, and for no others. */
  readonly key: string;
}

/** A set of adapters. Those of scale 0 are left out: they change nothing. */
export function adapterSet(adapters: readonly Adapter[]): AdapterSet {
  const applied = adapters
    .filter(({ scale }) => scale !== 0)
    .map(({ id, scale }) => ({ id, scale }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (const [index, { id, scale }] of applied.entries()) {
    assert(Number.isFinite(scale), `the adapter ${id} has the scale ${scale}`);
    assert(id !== applied[index + 1]?.id, `the adapter ${id} is applied twice`);
  }
  return { adapters: applied, key: JSON.stringify(applied.map(({ id, scale }) => [id, scale])) };
}

/** The model as it is. */
export const noAdapters: AdapterSet = adapterSet([]);
