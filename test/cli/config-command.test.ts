import { describe, expect, test } from "vitest";
import { printConfig, printModels } from "../../src/cli/config-command.js";
import { buildConfiguredModels } from "../../src/config/configured-models.js";
import { loadConfig } from "../../src/config/load-config.js";

import { settingNames } from "../../src/config/settings.js";

const print = (flags: Readonly<Record<string, unknown>>, environment: NodeJS.ProcessEnv = {}) =>
  printConfig(loadConfig({ flags, environment }));

const rowOf = (table: string, name: string) =>
  table
    .split("\n")
    .find((line) => line.startsWith(`${name} `))
    ?.split(/ {2,}/);

describe("printConfig", () => {
  test("prints a row for each setting", () => {
    const names = print({})
      .split("\n")
      .map((line) => line.split(" ", 1)[0]);
    expect(names).toEqual(settingNames);
  });

  test("shows values and their sources", () => {
    const table = print({ port: "1234" }, { GGUFD_THREADS: "3" });
    expect(rowOf(table, "port")).toEqual(["port", "1234", "--port"]);
    expect(rowOf(table, "threads")).toEqual(["threads", "3", "GGUFD_THREADS"]);
    expect(rowOf(table, "noModel")).toEqual(["noModel", "false", "default"]);
    expect(rowOf(table, "model")).toEqual(["model", "–", "default"]);
  });

  test("aligns columns whatever the values", () => {
    const table = print({ model: `/${"m".repeat(100)}.gguf` });
    const origins = table.split("\n").map((line) => line.search(/(default|--model)$/));
    expect(new Set(origins).size).toBe(1);
  });

  test("shows the number of keys, but never a key", () => {
    const table = print({ apiKey: ["sk-one", "sk-two"] });
    expect(table).not.toContain("sk-");
    expect(rowOf(table, "apiKey")).toEqual(["apiKey", "2 (hidden)", "--api-key"]);
  });

  test("never shows a read-only key either", () => {
    const table = print({}, { GGUFD_READ_ONLY_API_KEY: "hush,quiet,still" });
    expect(table).not.toMatch(/hush|quiet|still/);
    expect(rowOf(table, "readOnlyApiKey")).toEqual([
      "readOnlyApiKey",
      "3 (hidden)",
      "GGUFD_READ_ONLY_API_KEY",
    ]);
  });

  test("shows deprecations as configured", () => {
    expect(rowOf(print({}), "deprecate")?.slice(1)).toEqual([
      "/todos 2026-12-01 2027-12-01 /v1/todos",
      "default",
    ]);
    const deprecate = ["/a 2026-01-01 2026-01-01 /b"];
    expect(rowOf(print({ deprecate }), "deprecate")?.[1]).toBe(deprecate.join());
  });

  test("shows lists of objects in the syntax of their flags", () => {
    const overrideTensor = ["exps=CPU", "attn=CUDA0"];
    expect(rowOf(print({ overrideTensor }), "overrideTensor")?.[1]).toBe(overrideTensor.join());
  });
});

describe("printModels", () => {
  const sections = (
    flags: Readonly<Record<string, unknown>>,
    environment: NodeJS.ProcessEnv = {},
  ) => {
    return printModels(buildConfiguredModels(loadConfig({ flags, environment })));
  };
  const factOf = (section: string | undefined, name: string) =>
    section && rowOf(section.replaceAll(/^ {2}/gm, ""), name);

  test("prints a section for each model, headed by its kind and name", () => {
    const flags = { model: "/m.gguf", embeddingModel: "/e.gguf", rerankingModel: "/r.gguf" };
    const titles = sections({ ...flags, embeddingAlias: "minilm" }).map(
      (section) => section.split("\n")[0],
    );
    expect(titles).toEqual(["generation model m", "embedding model minilm", "reranking model r"]);
    expect(sections({ noModel: true })).toEqual([]);
  });

  test("shows the value and the source of each model setting", () => {
    const [main, embedding] = sections(
      { model: "/m.gguf", parallel: "3", embeddingModel: "/e.gguf", overrideTensor: ["exps=CPU"] },
      { GGUFD_EMBEDDING_POOLING: "cls", GGUFD_DRAFT_MODEL: "/d.gguf" },
    );
    expect(factOf(main, "alias")).toEqual(["alias", "m", "default"]);
    expect(factOf(main, "file")).toEqual(["file", "/m.gguf", "--model"]);
    expect(factOf(main, "draft")).toEqual(["draft", "/d.gguf", "GGUFD_DRAFT_MODEL"]);
    expect(factOf(main, "slots")).toEqual(["slots", "3", "--parallel"]);
    expect(factOf(main, "contextSize")).toEqual(["contextSize", "–", "default"]);
    expect(factOf(embedding, "file")).toEqual(["file", "/e.gguf", "--embedding-model"]);
    expect(factOf(embedding, "pooling")).toEqual(["pooling", "cls", "GGUFD_EMBEDDING_POOLING"]);
    for (const section of [main, embedding]) {
      expect(factOf(section, "placement.overrideTensor")?.slice(1)).toEqual([
        "exps=CPU",
        "--override-tensor",
      ]);
    }
  });

  test("indents all lines of a section, unlike the table of settings", () => {
    const lines = sections({}).flatMap((section) => section.split("\n").slice(1));
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.filter((line) => !line.startsWith("  "))).toEqual([]);
  });
});
