import { describe, expect, it } from "vitest";
import { distinctSchema, schemaMemory } from "../../bench/scenarios/soak-schemas.js";
import { schemaGrammar } from "../../src/grammar/json-schema/schema-grammar.js";

const MB = 1_000_000;

describe("soak-schemas", () => {
  it("asks for schemas that can be honoured, each for one of its own", () => {
    const schemas = [0, 1, 2, 499, 5_999].map(distinctSchema);
    const grammars = schemas.map((schema) => JSON.stringify(schemaGrammar(schema)));
    expect(new Set(grammars).size).toBe(schemas.length);
  });

  it("compares the last third of the readings with the second, process by process", () => {
    const readings = Array.from({ length: 9 }, (_, index) => ({
      server: 100 * MB,
      engine: Math.min(50 + 10 * index, 100) * MB,
    }));
    expect(schemaMemory(readings)).toEqual({ serverGrowth: 0, childrenGrowth: 10, peak: 50 });
  });

  it("finds growth without an end, and none where memory goes up and down", () => {
    const growthOf = (engine: (index: number) => number) =>
      schemaMemory(
        Array.from({ length: 12 }, (_, index) => ({ server: 0, engine: engine(index) * MB })),
      ).childrenGrowth;
    expect(growthOf((index) => 100 + 20 * index)).toBe(80);
    expect(growthOf((index) => 100 + (index % 2))).toBe(0);
  });
});
