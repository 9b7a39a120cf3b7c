import { addMemory, fitsIn, type MemoryUse, subtractMemory } from "../../core/memory-use.js";

/** Memory use of a loaded model. */
export interface ResidentModel {
  readonly alias: string;
  readonly memory: MemoryUse;
  /** `busy`: the model has requests. `kept`: it is never evicted. */
  readonly use: "idle" | "busy" | "kept";
  /** Time of the last arrival or end of a request, on a monotonic clock. */
  readonly lastUsedMs: number;
}

export interface RoomRequest {
  /** Memory that the model to be loaded takes. */
  readonly neededMemory: MemoryUse;
  /** Memory budget of all models together. */
  readonly budget: MemoryUse;
  /** Maximum number of loaded models; 0: no limit. */
  readonly maxModels: number;
  readonly residents: readonly ResidentModel[];
}

/** Decision about the loaded models, so that another model can be loaded. */
export type RoomDecision =
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
export function makeRoom(question: RoomRequest): RoomDecision {
  const { neededMemory, budget, residents } = question;
  const keptModels = residents.filter(({ use }) => use === "kept");
  const available = computeRemainingMemory(keptModels, budget);
  if (!fitsIn(neededMemory, available)) return { type: "never", available };
  if (!isPlaceFree(keptModels, question)) return { type: "all-kept" };
  const modelsToUnload = chooseModelsToUnload(question);
  if (modelsToUnload.length === 0) return { type: "there-is-room" };
  const busyModels = modelsToUnload.filter(({ use }) => use === "busy");
  const aliases = (models: readonly ResidentModel[]) => models.map(({ alias }) => alias);
  return busyModels.length === 0
    ? { type: "unload", aliases: aliases(modelsToUnload) }
    : { type: "drain", aliases: aliases(busyModels) };
}

function chooseModelsToUnload(question: RoomRequest): readonly ResidentModel[] {
  const { neededMemory, budget, residents } = question;
  const fitsWithout = (chosenModels: readonly ResidentModel[]) => {
    const others = residents.filter((model) => !chosenModels.includes(model));
    return (
      isPlaceFree(others, question) && fitsIn(neededMemory, computeRemainingMemory(others, budget))
    );
  };
  let leaving: readonly ResidentModel[] = [];
  for (const model of residents
    .filter(({ use }) => use !== "kept")
    .toSorted(compareDispensability)) {
    if (fitsWithout(leaving)) break;
    leaving = [...leaving, model];
  }
  // A model chosen early may be unnecessary once a larger one is chosen as well.
  for (const model of leaving.toReversed()) {
    const otherChosen = leaving.filter((other) => other !== model);
    if (fitsWithout(otherChosen)) leaving = otherChosen;
  }
  return leaving;
}

function compareDispensability(one: ResidentModel, other: ResidentModel): number {
  const isBusy = Number(one.use === "busy") - Number(other.use === "busy");
  return isBusy || one.lastUsedMs - other.lastUsedMs;
}

function isPlaceFree(
  models: readonly ResidentModel[],
  { maxModels }: Pick<RoomRequest, "maxModels">,
): boolean {
  return maxModels === 0 || models.length < maxModels;
}

function computeRemainingMemory(models: readonly ResidentModel[], budget: MemoryUse): MemoryUse {
  return subtractMemory(budget, addMemory(models.map(({ memory }) => memory)));
}
