import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "../../src/core/json.js";
import { type Draft, parseDraft } from "../../src/grammar/json-schema/schema-document.js";
import { couldSatisfy, matches, type Schema } from "./could-satisfy.js";
import { isArray, type LosslessJson, membersOf, plainValue } from "./lossless-json.js";

/**
 * Sorts the properties of objects in their schema's order, in which MaskBench's instances are
 * written: those of `properties`, then those of referenced and combined schemas, then the others.
 */
export function inSchemaOrder(value: LosslessJson, schema: unknown): LosslessJson {
  return new PropertyOrder(schema).arrange(value, [schema]);
}

class PropertyOrder {
  readonly #root: unknown;
  readonly #draft: Draft;

  constructor(root: unknown) {
    this.#root = root;
    this.#draft = parseDraft(isJsonObject(root) ? root["$schema"] : undefined);
  }

  /** @param schemas that describe the value */
  arrange(value: LosslessJson, schemas: readonly unknown[]): LosslessJson {
    const applicable = schemas.flatMap((schema) => this.#applicable(value, schema, new Set()));
    if (isArray(value)) {
      return value.map((item, index) =>
        this.arrange(
          item,
          applicable.flatMap((schema) => itemSchemas(schema, index)),
        ),
      );
    }
    const members = membersOf(value);
    if (members === undefined) return value;
    const own = new Map(members);
    const order = new Set([
      ...applicable.flatMap((schema) => namesOf(schema, value)).filter((name) => own.has(name)),
      ...own.keys(),
    ]);
    return new Map(
      [...order].map((name) => [
        name,
        this.arrange(
          own.get(name) ?? null,
          applicable.flatMap((schema) => memberSchemas(schema, name)),
        ),
      ]),
    );
  }

  /**
   * Collects a schema and the schemas that describe the same value; of several branches, the
   * plausible ones.
   */
  #applicable(value: LosslessJson, schema: unknown, seen: Set<unknown>): readonly Schema[] {
    if (!isJsonObject(schema) || seen.has(schema)) return [];
    seen.add(schema);
    const describing = (part: unknown) => this.#applicable(value, part, seen);
    if (typeof schema["$ref"] === "string" && this.#draft.refSiblings === "ignored") {
      return describing(this.#resolve(schema["$ref"]));
    }
    const could = (part: unknown) => couldSatisfy(value, part, (name) => this.#resolve(name));
    const { $ref, allOf, anyOf, oneOf, if: condition, then, else: otherwise } = schema;
    return [
      schema,
      ...(typeof $ref === "string" ? describing(this.#resolve($ref)) : []),
      ...listOf(allOf).flatMap(describing),
      ...[anyOf, oneOf].flatMap((list) => listOf(list).filter(could).flatMap(describing)),
      ...(could(condition) ? [condition, then] : [otherwise]).flatMap(describing),
    ];
  }

  #resolve(reference: string): unknown {
    if (!reference.startsWith("#")) return undefined;
    return reference
      .slice(1)
      .split("/")
      .slice(1)
      .map((token) => decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>(
        (found, step) =>
          isJsonObject(found) || Array.isArray(found) ? Reflect.get(found, step) : undefined,
        this.#root,
      );
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Ordered property names of a schema, or of an object that it enumerates. */
function namesOf(schema: Schema, value: LosslessJson): readonly string[] {
  const { properties, enum: list } = schema;
  const plain = plainValue(value);
  const listed = [...listOf(list), schema.const].find((one) => isDeepStrictEqual(one, plain));
  return [properties, listed].flatMap((named) => Object.keys(isJsonObject(named) ? named : {}));
}

function itemSchemas({ items, prefixItems, additionalItems }: Schema, index: number): unknown[] {
  const list = Array.isArray(items) ? items : listOf(prefixItems);
  if (index < list.length) return [list[index]];
  return [Array.isArray(items) ? additionalItems : items];
}

function memberSchemas(schema: Schema, name: string): unknown[] {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) return [properties[name]];
  const patterns = Object.entries(isJsonObject(patternProperties) ? patternProperties : {});
  const matching = patterns.filter(([pattern]) => matches(pattern, name)).map(([, value]) => value);
  return matching.length > 0 ? matching : [additionalProperties];
}
