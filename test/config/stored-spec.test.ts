import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import {
  storedModelsHiddenBy,
  storedSpecOf,
  withSourceAdapters,
} from "../../src/config/stored-spec.js";
import { configFolder } from "../support/config-file.js";

const { fileWith } = configFolder();

const hiddenWith = (flags: Readonly<Record<string, unknown>>) =>
  storedModelsHiddenBy(loadConfig({ flags, environment: {} }).config);

describe("stored models", () => {
  test.each([
    [{}],
    [{ embeddingModel: "/e.gguf" }],
    [{ model: "/m.gguf", storedModels: "serve" }],
    [{ noModel: true, storedModels: "serve" }],
  ])("are served with %j", (flags) => {
    expect(hiddenWith(flags)).toBeUndefined();
  });

  test.each([
    [{ model: "/m.gguf" }, "configured-models"],
    [
      { modelsPreset: fileWith("models.yaml", "models: {a: {model: /m.gguf}}") },
      "configured-models",
    ],
    [{ noModel: true }, "no-model"],
    [{ storedModels: "hide" }, "setting"],
    [{ model: "/m.gguf", storedModels: "hide" }, "setting"],
  ])("are hidden with %j by %s", (flags, by) => {
    expect(hiddenWith(flags)).toBe(by);
  });
});

const { config } = loadConfig({ flags: { lora: ["/main.gguf"] }, environment: {} });
const stored = storedSpecOf(config, { alias: "sql:7b", path: "/blobs/model" });

test("a stored model has no adapters of the main model's", () => {
  expect(stored.adapters).toEqual([]);
});

test("a model's source may say which adapters it is always used with", () => {
  expect(withSourceAdapters(stored, ["/blobs/one", "/blobs/two"]).adapters).toEqual([
    { name: "sql:7b-adapter-1", path: "/blobs/one", scale: 1, use: "always" },
    { name: "sql:7b-adapter-2", path: "/blobs/two", scale: 1, use: "always" },
  ]);
  const configured = { name: "poet", path: "/p.gguf", scale: 2, use: "when-asked" } as const;
  const { adapters } = withSourceAdapters({ ...stored, adapters: [configured] }, ["/blobs/one"]);
  expect(adapters.map(({ name }) => name)).toEqual(["poet", "sql:7b-adapter-1"]);
  expect(withSourceAdapters(stored, [])).toBe(stored);
});
