import { expect, test } from "vitest";
import { findNearest, findSimilar } from "../../src/core/nearest.js";

const COMMANDS = ["serve", "run", "list", "ls", "pull", "top"];

test.each([
  ["srve", COMMANDS, "serve"],
  ["lst", COMMANDS, "list"],
  ["PUL", COMMANDS, "pull"],
  ["rnu", COMMANDS, "run"],
  ["tpo", COMMANDS, "top"],
  ["llama3.2", COMMANDS, undefined],
  ["serve", [], undefined],
  ["gguf-mini", ["vectors", "ggufd-mini"], "ggufd-mini"],
  ["gpt-4o", ["vectors", "ggufd-mini"], undefined],
])("the suggestion for %j among %j is %j", (name, known, similar) => {
  expect(findSimilar(name, known)).toBe(similar);
});

test("names of more than 200 letters get no suggestion", () => {
  expect(findSimilar("a".repeat(200), ["a".repeat(199)])).toBeDefined();
  expect(findSimilar("a".repeat(201), ["a".repeat(200)])).toBeUndefined();
});

test("the nearest name is found at any distance, and swapped letters count as one edit", () => {
  expect(findNearest("prot", ["pots", "port"])).toBe("port");
  expect(findNearest("zzz", ["port"])).toBe("port");
});
