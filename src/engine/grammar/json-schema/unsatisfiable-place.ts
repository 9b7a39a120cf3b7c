import { isJsonObject } from "../../../core/json-object.js";
import type { SchemaDocument, SchemaPlace } from "./schema-document.js";

/**
 * The innermost schema that is to blame for it that no value satisfies a schema: what must hold for each of
 * its values, and never does. Where several schemas exclude each other only together, it is the one around them.
 * @param isUnsatisfiable whether no value satisfies a schema
 */
export function unsatisfiablePlace(
  place: SchemaPlace,
  document: SchemaDocument,
  isUnsatisfiable: (place: SchemaPlace) => boolean,
): SchemaPlace {
  const seen = new Set<unknown>();
  let within = place;
  while (!seen.has(within.schema)) {
    seen.add(within.schema);
    const inner = neededPlaces(within, document).find(isUnsatisfiable);
    if (inner === undefined) break;
    within = inner;
  }
  return within;
}

/**
 * Schemas that must be satisfiable for a schema to be so, given that only values of the type that they are
 * about may satisfy it: a schema that others satisfy is none whose place is asked for.
 */
function neededPlaces(place: SchemaPlace, document: SchemaDocument): readonly SchemaPlace[] {
  if (!isJsonObject(place.schema)) return [];
  const schema = document.keywordsOf(place.schema);
  const { $ref, allOf, required, properties, items, minItems } = schema;
  const reference = typeof $ref === "string" ? [document.resolve(place, $ref)] : [];
  if (reference.length > 0 && document.draft.refSiblings === "ignored") return reference;
  const below = (steps: readonly string[], part: unknown) => document.below(place, steps, part);
  const listed = (keyword: string, list: unknown, max: number) =>
    Array.isArray(list)
      ? list.slice(0, max).map((part, index) => below([keyword, String(index)], part))
      : [];
  const names = Array.isArray(required) ? required : [];
  const itemsNeeded = typeof minItems === "number" ? minItems : 0;
  const tuple = Array.isArray(items) ? items : schema["prefixItems"];
  const tupleLength = Array.isArray(tuple) ? tuple.length : 0;
  return [
    ...reference,
    ...listed("allOf", allOf, Number.POSITIVE_INFINITY),
    ...names.flatMap((name) =>
      typeof name === "string" && isJsonObject(properties) && Object.hasOwn(properties, name)
        ? [below(["properties", name], properties[name])]
        : [],
    ),
    ...listed(Array.isArray(items) ? "items" : "prefixItems", tuple, itemsNeeded),
    ...(items !== undefined && !Array.isArray(items) && itemsNeeded > tupleLength
      ? [below(["items"], items)]
      : []),
  ];
}
