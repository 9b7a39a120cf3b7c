import { findAdapter } from "../../core/adapters.js";
import type { NamedState } from "../../core/model-directory.js";
import type { PooledModel } from "./pooled-model.js";

/** The lookups of a pool that names need. */
interface NameLookup {
  readonly models: readonly PooledModel[];
  /** Finds a model by its exact name. */
  find(alias: string): PooledModel | undefined;
}

/**
 * Finds a model by one of its names, or by a spelling of it that differs only in case. A name that
 * several models have in different spellings must be exact.
 */
export function findByName(pool: NameLookup, name: string): PooledModel | undefined {
  const exact = pool.find(name) ?? pool.models.find(({ aliases }) => aliases.includes(name));
  if (exact !== undefined) return exact;
  const lower = name.toLowerCase();
  const [found, another] = pool.models.filter(({ alias, aliases }) =>
    [alias, ...aliases].some((one) => one.toLowerCase() === lower),
  );
  return another === undefined ? found : undefined;
}

/** Finds the model that has an adapter of this name. */
export function findByAdapter({ models }: NameLookup, name: string): PooledModel | undefined {
  return models.find((model) => findAdapter(model, name) !== undefined);
}

/** Model as far as its names are concerned. */
export type NameableModel = Pick<NamedState, "alias" | "aliases" | "adapters">;

/** Names that requests can use: those of models, their aliases, and those of their adapters. */
export function namesOf(models: readonly NameableModel[]): readonly string[] {
  return models.flatMap(({ alias, aliases, adapters }) => [
    alias,
    ...aliases,
    ...adapters.map(({ name }) => name),
  ]);
}

/** Maximum number of names that an error lists. */
const MAX_NAMES = 20;

/** Lists names for an error. */
export function listNames(models: readonly NameableModel[]): string {
  const all = namesOf(models);
  const names = all.slice(0, MAX_NAMES).map((name) => `\`${name}\``);
  const more = all.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
