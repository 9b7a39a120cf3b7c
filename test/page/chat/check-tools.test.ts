import { describe, expect, it } from "vitest";
import { findToolsProblem } from "../../../src/page/chat/check-tools.js";

const weather = {
  type: "function",
  name: "weather",
  description: "Weather of a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: ["integer", "null"], minimum: 1 } },
    required: ["city"],
    additionalProperties: false,
  },
};

function problemOf(...tools: readonly unknown[]): string | undefined {
  return findToolsProblem(JSON.stringify(tools));
}

/** The problem of a function with the given parameters, without the name of the tool. */
function problemOfParameters(parameters: unknown): string | undefined {
  return problemOf({ ...weather, parameters })?.replace("Tool 1 (weather): ", "");
}

describe("the check of tools", () => {
  it.each([
    ["no text", ""],
    ["no tools", "[]"],
    ["a function", JSON.stringify([weather])],
    ["a function without parameters", '[{"type":"function","name":"now"}]'],
    ["a custom tool", '[{"type":"custom","name":"sql"}]'],
    ["a namespace", JSON.stringify([{ type: "namespace", name: "crm", tools: [weather] }])],
    ["a tool of another type", '[{"type":"shell"}]'],
  ])("accepts %s", (_name, text) => {
    expect(findToolsProblem(text)).toBeUndefined();
  });

  it("says where the text is not JSON", () => {
    expect(findToolsProblem("[")).toMatch(/^Expected JSON: an array of tools\. .*JSON.*\.$/);
    expect(findToolsProblem("{}")).toBe("Expected an array of tools, [ … ].");
  });

  it.each([
    [[3], "Tool 1: expected an object, got 3."],
    [[weather, { name: "b" }], 'Tool 2 (b): type: expected "function", got nothing.'],
    [
      [{ type: "function", name: "get weather" }],
      'Tool 1 (get weather): name: expected 1 to 64 letters, digits, _, . or -, got "get weather".',
    ],
    [[{ ...weather, description: 1 }], "Tool 1 (weather): description: expected a text, got 1."],
    [
      [weather, weather],
      "Tool 2 (weather): name: expected another name than that of an earlier tool.",
    ],
    [
      [{ type: "namespace", name: "crm", tools: [weather, { type: "function" }] }],
      "Tool 1 (crm), tool 2: name: expected 1 to 64 letters, digits, _, . or -, got nothing.",
    ],
    [
      [{ type: "function", function: { name: "nested" } }],
      "Tool 1: name: expected 1 to 64 letters, digits, _, . or -, got nothing.",
    ],
  ])("names the tool and the field: %j", (tools, problem) => {
    expect(problemOf(...tools)).toBe(problem);
  });

  it.each([
    ["text", 'parameters: expected a JSON Schema, got "text".'],
    [{ type: "string" }, 'parameters.type: expected "object", got "string".'],
    [
      { properties: { city: { type: "text" } } },
      'parameters.properties.city.type: expected one of string, number, integer, boolean, object, array, null, got "text".',
    ],
    [{ properties: [] }, "parameters.properties: expected schemas by name, got []."],
    [
      { properties: { city: "string" } },
      'parameters.properties.city: expected a JSON Schema, got "string".',
    ],
    [{ required: "city" }, 'parameters.required: expected an array of names, got "city".'],
    [
      { properties: { a: { items: { enum: 1 } } } },
      "parameters.properties.a.items.enum: expected an array of values, got 1.",
    ],
    [{ anyOf: {} }, "parameters.anyOf: expected an array of schemas, got {}."],
  ])("names the field of a schema: %j", (parameters, problem) => {
    expect(problemOfParameters(parameters)).toBe(problem);
  });
});
