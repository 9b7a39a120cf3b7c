import { describe, expect, it } from "vitest";
import type { z } from "zod";
import {
  addDefaultTag,
  nameToPull,
  newModelName,
  resolveNewName,
  resolveServedName,
  storedModelName,
  toPullName,
} from "../../../src/api/ollama/model-names.js";
import { loadingModel } from "../../support/pooled-models.js";

const accepts = (schema: z.ZodType, name: string) => schema.safeParse(name).success;
const directory = (alias: string) => ({ models: [loadingModel(alias)] });

describe("the name of a served model", () => {
  it.each([
    ["mini", "mini:latest"],
    ["mini:latest", "mini:latest"],
    ["mini:8b", "mini:8b"],
    ["hub:5000/team/mini", "hub:5000/team/mini:latest"],
  ])("is reported with a tag: %s", (name, tagged) => {
    expect(addDefaultTag(name)).toBe(tagged);
  });

  it.each([
    ["mini", "mini"],
    ["mini", "mini:latest"],
    ["mini:latest", "mini"],
    ["mini:latest", "mini:latest"],
    ["mini:8b", "mini:8b"],
    ["hf.co/user/repo", "hf.co/user/repo:latest"],
  ])("%s is resolved from %s", (alias, name) => {
    expect(resolveServedName(directory(alias), name)).toBe(alias);
  });

  it("is undefined if the request names no model", () => {
    expect(resolveServedName(directory("mini"), undefined)).toBeUndefined();
  });

  it.each([
    ["mini", "mini:8b"],
    ["mini:8b", "mini"],
    ["mini", "Mini"],
    ["mini", "mini:"],
    ["mini", "maxi:latest"],
  ])("%s is not resolved from %s", (alias, name) => {
    expect(resolveServedName(directory(alias), name)).toBe(name);
  });
});

describe("the name of a Hugging Face model", () => {
  it.each([
    ["hf.co/user/repo:Q4_K_M", "hf:user/repo:Q4_K_M"],
    ["huggingface.co/user/repo:latest", "hf:user/repo"],
  ])("is resolved to its stored name: %s", (name, known) => {
    expect(resolveServedName(directory("mini"), name)).toBe(known);
  });
});

describe("the model name of a pull", () => {
  it.each([
    ["llama3.2", "ollama:llama3.2"],
    ["llama3.2:1b", "ollama:llama3.2:1b"],
    ["user/name:tag", "ollama:user/name:tag"],
    ["ollama:llama3.2", "ollama:llama3.2"],
    ["ollama:user/name:tag", "ollama:user/name:tag"],
    ["registry.ollama.ai/library/llama3.2:1b", "ollama:library/llama3.2:1b"],
    ["ollama.com/user/name", "ollama:user/name"],
    ["hf.co/user/repo", "hf:user/repo"],
    ["hf.co/user/repo:latest", "hf:user/repo"],
    ["huggingface.co/user/repo:Q8_0", "hf:user/repo:Q8_0"],
    ["hf:user/repo:Q8_0", "hf:user/repo:Q8_0"],
  ])("is resolved to its source: %s", (name, source) => {
    expect(accepts(nameToPull, name)).toBe(true);
    expect(toPullName(name)).toBe(source);
  });

  it.each([
    "",
    "/etc/passwd",
    "./model.gguf",
    "../model",
    "user/../name",
    "https://hf.co/user/repo",
    "http://127.0.0.1/model.gguf",
    "file:///etc/passwd",
    "127.0.0.1:5000/user/name",
    "registry.example/user/name",
    "ollama:registry.example/user/name",
    "hf:user/repo/file.gguf",
    "hf.co/user/repo/file.gguf",
    "hf.co/user/..",
    "name:",
    "name:tag:tag",
    "name with spaces",
    "name\n",
    "x".repeat(81),
  ])("is rejected if it is a path, a URL or on another host: %j", (name) => {
    expect(accepts(nameToPull, name)).toBe(false);
  });
});

describe("the name of a stored model", () => {
  it.each([
    "llama3.2:1b",
    "user/repo:Q4_K_M",
    "user/repo/file-Q4_0.gguf",
    "hf:user/repo",
    "My model (2)",
    "a..b",
  ])("may be any valid file name: %s", (name) => {
    expect(accepts(storedModelName, name)).toBe(true);
  });

  it.each([
    "",
    "/models/a.gguf",
    "~/a.gguf",
    "./a.gguf",
    "../a",
    "a/../b",
    "a/./b",
    "a/..",
    "a/",
    "a//b",
    "C:/a.gguf",
    "a\\b",
    "https://hf.co/a",
    "a\u0000b",
    "a\u202eb",
    "\ud800",
    "x".repeat(513),
  ])("is rejected if it is a path or a URL: %j", (name) => {
    expect(accepts(storedModelName, name)).toBe(false);
  });
});

describe("the name of a new model", () => {
  it.each(["mine", "mine:8b", "user/mine", "hf.co/user/mine:tag"])("may be %s", (name) => {
    expect(accepts(newModelName, name)).toBe(true);
  });

  it.each(["", "../mine", "/mine", "a/b/c/d", "mine:", "my model", "hf:mine/x", "a\\b"])(
    "is rejected: %j",
    (name) => {
      expect(accepts(newModelName, name)).toBe(false);
    },
  );

  it.each([
    ["mini", "mine:latest", "mine"],
    ["mini", "mine:8b", "mine:8b"],
    ["mini:latest", "mini", "mini:latest"],
  ])("is normalised for a library with the model %s: %s", (alias, name, given) => {
    expect(resolveNewName(directory(alias), name)).toBe(given);
  });
});
