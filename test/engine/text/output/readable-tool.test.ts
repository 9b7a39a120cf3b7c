import { describe, expect, it } from "vitest";
import { toReadableTool } from "../../../../src/engine/text/output/readable-tool.js";

const typesOf = (schema: unknown, definitions: object = {}) =>
  toReadableTool({ name: "f", parameters: { properties: { x: schema }, $defs: definitions } })
    .parameters[0]?.types;

describe("readableTool", () => {
  it.each<[what: string, schema: unknown, types: readonly string[] | undefined]>([
    ["a type", { type: "string" }, ["string"]],
    ["several types", { type: ["null", "string"] }, ["string", "null"]],
    ["integers as numbers", { type: "integer" }, ["number"]],
    ["enumerated values", { enum: ["a", 1] }, ["string", "number"]],
    ["a constant", { const: [] }, ["array"]],
    ["a constant of a type", { const: null, type: "string" }, []],
    ["alternatives", { anyOf: [{ type: "string" }, { const: false }] }, ["string", "boolean"]],
    [
      "exclusive alternatives",
      { oneOf: [{ type: "object" }, { type: "array" }] },
      ["object", "array"],
    ],
    [
      "types that all of allOf permit",
      { allOf: [{ type: ["string", "null"] }, { type: "string" }] },
      ["string"],
    ],
    ["a reference", { $ref: "#/$defs/a~1b" }, ["string"]],
    ["any type", {}, undefined],
    ["a boolean schema", true, undefined],
    ["a dangling reference", { $ref: "#/$defs/none" }, undefined],
    ["a reference to a property of Object.prototype", { $ref: "#/$defs/constructor" }, undefined],
  ])("finds the types of %s", (_what, schema, types) => {
    expect(typesOf(schema, { "a/b": { type: "string" } })).toEqual(types);
  });

  it("treats a self-referential schema as any type", () => {
    expect(typesOf({ $ref: "#/$defs/a" }, { a: { anyOf: [{ $ref: "#/$defs/a" }] } })).toBe(
      undefined,
    );
  });

  it("visits each schema once, regardless of the number of references", () => {
    const levels = Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/l${level + 1}` };
      return [`l${level}`, { anyOf: [next, next] }] as const;
    });
    const definitions = { ...Object.fromEntries(levels), l40: { type: "string" } };
    expect(typesOf({ $ref: "#/$defs/l20" }, definitions)).toEqual(["string"]);
  });

  it("finds properties and items, even within one of several schemas", () => {
    const point = { type: "object", properties: { x: { type: "number" }, any: {} } };
    const parameters = {
      properties: {
        points: { type: "array", items: { $ref: "#/$defs/point" } },
        names: { anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }] },
        tuple: { type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } },
      },
      $defs: { point },
    };
    const known = { types: ["object"], members: [{ name: "x", types: ["number"] }] };
    expect(toReadableTool({ name: "f", parameters }).parameters).toEqual([
      { name: "points", types: ["array"], items: known },
      { name: "names", types: ["null", "array"], items: { types: ["string"] } },
      { name: "tuple", types: ["array"] },
    ]);
  });

  it("describes a recursive schema up to a limited depth", () => {
    const parameters = {
      properties: { a: { $ref: "#/$defs/a" } },
      $defs: {
        a: { type: "object", properties: { a: { $ref: "#/$defs/a" }, b: { type: "string" } } },
      },
    };
    expect(JSON.stringify(toReadableTool({ name: "f", parameters })).length).toBeLessThan(1_000);
  });

  it("returns no parameters for a tool without a schema", () => {
    expect(toReadableTool({ name: "now" })).toEqual({ name: "now", parameters: [] });
  });
});
