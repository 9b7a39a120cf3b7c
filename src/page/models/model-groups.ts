import type { ListedModel } from "../../api/models/models.js";

/** A model with the adapters that can be requested. */
export interface ModelGroup {
  readonly model: ListedModel;
  readonly adapters: readonly ListedModel[];
}

/**
 * Groups adapters with their models. Models in memory come first; the order is otherwise unchanged.
 */
export function buildModelGroups(models: readonly ListedModel[]): readonly ModelGroup[] {
  const names = new Set(models.map(({ id }) => id));
  const groups = models
    .filter(({ parent }) => parent === undefined || !names.has(parent))
    .map((model) => ({
      model,
      adapters: models.filter(({ parent }) => parent === model.id),
    }));
  const isAbsent = ({ model }: ModelGroup) => model.status.value === "unloaded";
  return [...groups.filter((group) => !isAbsent(group)), ...groups.filter(isAbsent)];
}
