import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { locateModels } from "../../src/serve/locate-models.js";
import { putInOllama } from "../support/model-sources/other-programs.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const [weights, adapter] = ["GGUF weights", "GGUF adapter"];

/** An Ollama folder with `base` and `sql-lora`, and an environment that points to it. */
async function ollamaFolder(): Promise<string> {
  const folder = await temporaryFolder();
  vi.stubEnv("OLLAMA_MODELS", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const library = "registry.ollama.ai/library";
  await putInOllama(folder, `${library}/base/latest`, [["model", weights]]);
  await putInOllama(folder, `${library}/sql-lora/latest`, [["model", adapter]]);
  return folder;
}

const located = async (more: Readonly<Record<string, string | readonly string[]>>) => {
  const modelsDir = await temporaryFolder();
  const flags = { model: "ollama:base", modelsDir, ...more };
  return locateModels(loadConfig({ flags, environment: {} }).config);
};

describe("a draft model", () => {
  test("given by name is resolved to its local file", async () => {
    const folder = await ollamaFolder();
    expect(await located({ draft: "ollama:sql-lora" })).toMatchObject([
      {
        draft: {
          role: "draft",
          path: expect.stringContaining(join(folder, "blobs", "sha256-")),
        },
      },
    ]);
    expect(await located({ draft: "/drafts/small.gguf" })).toMatchObject([
      { draft: { role: "draft", path: "/drafts/small.gguf" } },
    ]);
  });

  test("that has not been downloaded is rejected with the command that downloads it", async () => {
    await ollamaFolder();
    await expect(located({ draft: "hf:user/small:Q8_0" })).rejects.toThrow(
      /^draft: .*; ggufd pull hf:user\/small:Q8_0 downloads it$/,
    );
  });
});

describe("an adapter", () => {
  test("given by name is resolved to its local file", async () => {
    const folder = await ollamaFolder();
    const inFolder = expect.stringContaining(join(folder, "blobs", "sha256-"));
    expect(
      await located({ lora: ["sql=ollama:sql-lora", "poet=/adapters/poet.gguf:0.5"] }),
    ).toMatchObject([
      {
        file: { kind: "file", path: inFolder },
        adapters: [
          { name: "sql", path: inFolder, scale: 1, use: "when-asked" },
          { name: "poet", path: "/adapters/poet.gguf", scale: 0.5, use: "always" },
        ],
      },
    ]);
  });

  test("that has not been downloaded is rejected with the command that downloads it", async () => {
    await ollamaFolder();
    await expect(located({ lora: ["sql=hf:user/sql-lora:Q8_0"] })).rejects.toThrow(
      /^lora: .*hf:user\/sql-lora:Q8_0.*; ggufd pull hf:user\/sql-lora:Q8_0 downloads it$/,
    );
  });
});
