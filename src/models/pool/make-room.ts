import { fitsIn, type MemoryUse, sumOf, without } from "../../core/memory-use.js";

/** A model that takes memory. */
export interface HeldModel {
  readonly alias: string;
  readonly memory: MemoryUse;
  /** `busy`: it has requests. `kept`: whatever comes, it stays. */
  readonly use: "idle" | "busy" | "kept";
  /** When a request of it came or ended last, on a clock that never goes back. */
  readonly lastUsedMs: number;
}

export interface RoomQuestion {
  /** What the model to be loaded takes. */
  readonly wanted: MemoryUse;
  /** For all models together. */
  readonly budget: MemoryUse;
  readonly held: readonly HeldModel[];
}

/** What has to become of the models that are loaded, so that another one can be. */
export type Room =
  | { readonly type: "there-is-room" }
  /** They go: nobody uses them. */
  | { readonly type: "unload"; readonly aliases: readonly string[] }
  /** They go when their requests have ended, and take no others. */
  | { readonly type: "drain"; readonly aliases: readonly string[] }
  /** Not even beside those alone that are kept. */
  | { readonly type: "never"; readonly available: MemoryUse };

/**
 * Decides how a model gets its memory. Idle models go before busy ones, of each kind that which was not used for the
 * longest time first, and none goes whose memory is not needed.
 */
export function makeRoom({ wanted, budget, held }: RoomQuestion): Room {
  const kept = held.filter(({ use }) => use === "kept");
  const available = leftBeside(kept, budget);
  if (!fitsIn(wanted, available)) return { type: "never", available };
  const leaving = leavingFor({ wanted, budget, held });
  if (leaving.length === 0) return { type: "there-is-room" };
  const busy = leaving.filter(({ use }) => use === "busy");
  const aliases = (models: readonly HeldModel[]) => models.map(({ alias }) => alias);
  return busy.length === 0
    ? { type: "unload", aliases: aliases(leaving) }
    : { type: "drain", aliases: aliases(busy) };
}

function leavingFor({ wanted, budget, held }: RoomQuestion): readonly HeldModel[] {
  const staysWithout = (leaving: readonly HeldModel[]) =>
    leftBeside(
      held.filter((model) => !leaving.includes(model)),
      budget,
    );
  let leaving: readonly HeldModel[] = [];
  for (const model of held.filter(({ use }) => use !== "kept").toSorted(byDispensability)) {
    if (fitsIn(wanted, staysWithout(leaving))) break;
    leaving = [...leaving, model];
  }
  // One that went early may be of no use beside a larger one that had to go as well.
  for (const model of leaving.toReversed()) {
    const others = leaving.filter((other) => other !== model);
    if (fitsIn(wanted, staysWithout(others))) leaving = others;
  }
  return leaving;
}

function byDispensability(one: HeldModel, other: HeldModel): number {
  const isBusy = Number(one.use === "busy") - Number(other.use === "busy");
  return isBusy || one.lastUsedMs - other.lastUsedMs;
}

function leftBeside(models: readonly HeldModel[], budget: MemoryUse): MemoryUse {
  return without(budget, sumOf(models.map(({ memory }) => memory)));
}
