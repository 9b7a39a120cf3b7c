import type { SchemaPlace } from "./schema-document.js";
import type { ValueAlgebra } from "./value-algebra.js";
import type { Requirement, ValueSet } from "./value-set.js";

/** What the keywords of a schema need to know of other schemas. */
export interface SchemaRequirements {
  readonly algebra: ValueAlgebra;
  /** What no value satisfies. */
  readonly none: Requirement;
  /** What a schema below another one requires. */
  requirementBelow(place: SchemaPlace, steps: readonly string[], schema: unknown): Requirement;
  /** That a value is equal to a given one. */
  equalTo(value: unknown): Requirement;
  /** The values that satisfy a requirement. */
  evaluate(requirement: Requirement): ValueSet;
}
