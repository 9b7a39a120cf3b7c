import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { storedModelsHiddenBy } from "../../src/config/stored-spec.js";
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
