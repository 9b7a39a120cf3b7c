import { expect, test } from "vitest";
import { settingsFor } from "../../../src/cli/chat/private-daemon.js";
import { buildModelSpecs } from "../../../src/config/configured-models.js";
import { loadConfig } from "../../../src/config/load-config.js";

const { config } = loadConfig({ flags: {}, environment: {} });

test.each(["ggufd-mini", "GGUFD-mini"])("%s is the name of the shipped model", (name) => {
  expect(buildModelSpecs({ ...config, ...settingsFor(name) })).toMatchObject([
    { alias: "ggufd-mini", loadsAtStart: true },
  ]);
});

test("other names are looked up in the model store", () => {
  expect(settingsFor("qwen3")).toEqual({ noModel: true, storedModels: "serve" });
  expect(settingsFor("hf:u/r")).toMatchObject({ model: "hf:u/r", storedModels: "hide" });
});
