import type { SchemaPlace } from "./schema-document.js";
import type { ValueAlgebra } from "./value-algebra.js";
import type { Requirement, ValueSet } from "./value-set.js";

/** Access of keywords to other schemas. */
export interface SchemaRequirements {
  readonly algebra: ValueAlgebra;
  /** Requirement that no value satisfies. */
  readonly none: Requirement;
  /** Returns the requirement of a subschema. */
  requirementBelow(place: SchemaPlace, steps: readonly string[], schema: unknown): Requirement;
  /** Returns the requirement that a value equals the given one. */
  requirementOfValue(value: unknown): Requirement;
  /** Returns the values that satisfy a requirement. */
  evaluate(requirement: Requirement): ValueSet;
}
