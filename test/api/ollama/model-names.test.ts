import { describe, expect, it } from "vitest";
import { servedName, taggedName } from "../../../src/api/ollama/model-names.js";
import { loadingModel } from "../../support/pooled-models.js";

const directory = (alias: string) => ({ models: [loadingModel(alias)] });

describe("a model's name", () => {
  it.each([
    ["mini", "mini:latest"],
    ["mini:latest", "mini:latest"],
    ["mini:8b", "mini:8b"],
    ["hub:5000/team/mini", "hub:5000/team/mini:latest"],
  ])("has a tag: %s", (name, tagged) => {
    expect(taggedName(name)).toBe(tagged);
  });

  it.each([
    ["mini", "mini"],
    ["mini", "mini:latest"],
    ["mini:latest", "mini"],
    ["mini:latest", "mini:latest"],
    ["mini:8b", "mini:8b"],
    ["hf.co/user/repo", "hf.co/user/repo:latest"],
  ])("of %s may be %s", (alias, name) => {
    expect(servedName(directory(alias), name)).toBe(alias);
  });

  it("may be absent", () => {
    expect(servedName(directory("mini"), undefined)).toBeUndefined();
  });

  it.each([
    ["mini", "mini:8b"],
    ["mini:8b", "mini"],
    ["mini", "Mini"],
    ["mini", "mini:"],
    ["mini", "maxi:latest"],
  ])("of %s is not %s, which stays as it is", (alias, name) => {
    expect(servedName(directory(alias), name)).toBe(name);
  });
});

describe("the name of a model of Hugging Face", () => {
  it.each([
    ["hf.co/user/repo:Q4_K_M", "hf:user/repo:Q4_K_M"],
    ["huggingface.co/user/repo:latest", "hf:user/repo"],
  ])("is the one that it is found by here: %s", (name, known) => {
    expect(servedName(directory("mini"), name)).toBe(known);
  });
});
