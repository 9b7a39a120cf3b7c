import { addMemory, fitsIn, type MemoryUse, subtractMemory } from "../../core/memory-use.js";

/** Memory use of a loaded model. */
export interface HeldModel {
  readonly alias: string;
  readonly memory: MemoryUse;
  /** `busy`: the model has requests. `kept`: it is never evicted. */
  readonly use: "idle" | "busy" | "kept";
  /** Time of the last arrival or end of a request, on a monotonic clock. */
  readonly lastUsedMs: number;
}

export interface RoomQuestion {
  /** Memory that the model to be loaded takes. */
  readonly wanted: MemoryUse;
  /** Memory budget of all models together. */
  readonly budget: MemoryUse;
  /** Maximum number of loaded models; 0: no limit. */
  readonly maxModels: number;
  readonly held: readonly HeldModel[];
}

/** Decision about the loaded models, so that another model can be loaded. */
export type Room =
  | { readonly type: "there-is-room" }
  /** Idle models, to be unloaded. */
  | { readonly type: "unload"; readonly aliases: readonly string[] }
  /** Busy models, to be unloaded when their requests have ended; they accept no new requests. */
  | { readonly type: "drain"; readonly aliases: readonly string[] }
  /**
   * The model does not fit even if only the kept models stay. `available`: memory that these leave.
   */
  | { readonly type: "never"; readonly available: MemoryUse }
  /** The kept models are as many as may be loaded. */
  | { readonly type: "all-kept" };

/**
 * Decides which models to unload so that another one fits into the memory and the maximum number of
 * models. Idle models are unloaded before busy
 * ones, the least recently used first, and only those whose memory or place is needed.
 */
export function makeRoom(question: RoomQuestion): Room {
  const { wanted, budget, held } = question;
  const kept = held.filter(({ use }) => use === "kept");
  const available = leftBeside(kept, budget);
  if (!fitsIn(wanted, available)) return { type: "never", available };
  if (!isPlaceFree(kept, question)) return { type: "all-kept" };
  const leaving = leavingFor(question);
  if (leaving.length === 0) return { type: "there-is-room" };
  const busy = leaving.filter(({ use }) => use === "busy");
  const aliases = (models: readonly HeldModel[]) => models.map(({ alias }) => alias);
  return busy.length === 0
    ? { type: "unload", aliases: aliases(leaving) }
    : { type: "drain", aliases: aliases(busy) };
}

function leavingFor(question: RoomQuestion): readonly HeldModel[] {
  const { wanted, budget, held } = question;
  const fitsWithout = (leaving: readonly HeldModel[]) => {
    const others = held.filter((model) => !leaving.includes(model));
    return isPlaceFree(others, question) && fitsIn(wanted, leftBeside(others, budget));
  };
  let leaving: readonly HeldModel[] = [];
  for (const model of held.filter(({ use }) => use !== "kept").toSorted(byDispensability)) {
    if (fitsWithout(leaving)) break;
    leaving = [...leaving, model];
  }
  // A model chosen early may be unnecessary once a larger one is chosen as well.
  for (const model of leaving.toReversed()) {
    const others = leaving.filter((other) => other !== model);
    if (fitsWithout(others)) leaving = others;
  }
  return leaving;
}

function byDispensability(one: HeldModel, other: HeldModel): number {
  const isBusy = Number(one.use === "busy") - Number(other.use === "busy");
  return isBusy || one.lastUsedMs - other.lastUsedMs;
}

function isPlaceFree(
  models: readonly HeldModel[],
  { maxModels }: Pick<RoomQuestion, "maxModels">,
): boolean {
  return maxModels === 0 || models.length < maxModels;
}

function leftBeside(models: readonly HeldModel[], budget: MemoryUse): MemoryUse {
  return subtractMemory(budget, addMemory(models.map(({ memory }) => memory)));
}
