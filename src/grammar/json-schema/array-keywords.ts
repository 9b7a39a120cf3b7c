import { createKeywordError, expectArray, parseCount } from "./keyword-checks.js";
import type { SchemaPlace } from "./schema-document.js";
import type { SchemaRequirements } from "./schema-requirements.js";
import type { ArraySet, Requirement, SomeItem } from "./value-set.js";

type Schema = Readonly<Record<string, unknown>>;

/**
 * Returns the arrays that a schema's keywords allow: `prefixItems` and `items`, or `items` as a
 * list and `additionalItems` in older drafts.
 * @throws {UnsupportedGrammar}
 */
export function parseArrayKeywords(
  requirements: SchemaRequirements,
  place: SchemaPlace,
  schema: Schema,
): readonly ArraySet[] {
  const min = parseCount(place, schema, "minItems") ?? 0;
  const max = parseCount(place, schema, "maxItems") ?? Number.POSITIVE_INFINITY;
  if (schema["uniqueItems"] === true && max > 1) {
    throw createKeywordError(place, "uniqueItems");
  }
  if (min > max) return [];
  const { items } = schema;
  const prefixKeyword = Array.isArray(items) ? "items" : "prefixItems";
  const restKeyword = Array.isArray(items) ? "additionalItems" : "items";
  const list = schema[prefixKeyword];
  const prefix =
    list === undefined
      ? []
      : expectArray(place, prefixKeyword, list).map((item, index) =>
          requirements.requirementBelow(place, [prefixKeyword, String(index)], item),
        );
  const rest: Requirement =
    schema[restKeyword] === undefined
      ? []
      : requirements.requirementBelow(place, [restKeyword], schema[restKeyword]);
  return [{ prefix, rest, some: parseContains(requirements, place, schema), min, max }];
}

/** Returns the item required by `contains`; higher counts than one are not supported. */
function parseContains(
  requirements: SchemaRequirements,
  place: SchemaPlace,
  schema: Schema,
): readonly SomeItem[] {
  const { contains } = schema;
  if (contains === undefined) return [];
  const min = parseCount(place, schema, "minContains") ?? 1;
  if (min > 1) throw createKeywordError(place, "minContains");
  if (schema["maxContains"] !== undefined) throw createKeywordError(place, "maxContains");
  const item = requirements.requirementBelow(place, ["contains"], contains);
  return min === 0 ? [] : [{ from: 0, item }];
}
