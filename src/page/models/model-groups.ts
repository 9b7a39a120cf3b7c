import type { ListedModel } from "../../api/models/models.js";

/** A model with the adapters that it can be asked for by. */
export interface ModelGroup {
  readonly model: ListedModel;
  readonly adapters: readonly ListedModel[];
}

/** Models that take memory first, then the others, each in the order in which they come; adapters are with their models. */
export function groupsOf(models: readonly ListedModel[]): readonly ModelGroup[] {
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
