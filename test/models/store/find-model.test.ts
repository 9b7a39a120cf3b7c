import { describe, expect, test } from "vitest";
import { findModel } from "../../../src/models/store/find-model.js";
import { buildHuggingFaceNames } from "../../../src/models/store/hugging-face-cache.js";
import { buildOllamaNames } from "../../../src/models/store/ollama-manifest.js";
import type { StoredFile, StoredModel } from "../../../src/models/store/stored-model.js";

const at = (path: string): readonly [StoredFile] => [
  { path, sizeBytes: 1, modifiedMs: 0, sha256: undefined },
];
const alone = { projector: undefined, adapters: [] };

function fromHub(repo: string, file: string, place: "pulled" | "hugging-face"): StoredModel {
  const origin = { kind: "hugging-face", repo, revision: "r", file } as const;
  const model = {
    ...buildHuggingFaceNames(origin),
    ...alone,
    files: at(`/${place}/${repo}/${file}`),
  };
  return place === "pulled"
    ? { ...model, place, origin, manifestPath: "/m.json", sources: [], pulledAt: "" }
    : { ...model, place, origin };
}

function fromOllama(host: string, namespace: string, model: string, tag: string): StoredModel {
  const names = buildOllamaNames({ host, namespace, model, tag });
  const origin = { kind: "ollama", name: names.name, texts: [] } as const;
  return { ...names, ...alone, files: at(`/blobs/${names.name}`), place: "ollama", origin };
}

const plain = (name: string, place: "folder" | "lm-studio" = "folder"): StoredModel => ({
  name,
  aliases: [`${name}.gguf`],
  ...alone,
  files: at(`/${place}/${name}.gguf`),
  place,
});

const models = [
  fromHub("bartowski/Qwen3-8B-GGUF", "Qwen3-8B-Q4_K_M.gguf", "pulled"),
  fromHub("bartowski/Qwen3-8B-GGUF", "Qwen3-8B-Q8_0.gguf", "hugging-face"),
  fromHub("unsloth/gemma", "gemma-UD-Q4_K_XL.gguf", "hugging-face"),
  fromOllama("registry.ollama.ai", "library", "llama3.2", "latest"),
  fromOllama("registry.ollama.ai", "library", "llama3.2", "1b"),
  fromOllama("registry.ollama.ai", "jane", "helper", "v2"),
  fromOllama("hf.co", "u", "r", "Q4_0"),
  plain("mini"),
];

describe("finding a model by name", () => {
  test.each([
    ["bartowski/Qwen3-8B-GGUF:Q8_0", "Q8_0"],
    ["bartowski/Qwen3-8B-GGUF:q8_0", "Q8_0"],
    ["hf:bartowski/Qwen3-8B-GGUF:Q4_K_M", "Q4_K_M"],
    ["bartowski/Qwen3-8B-GGUF/Qwen3-8B-Q8_0.gguf", "Q8_0"],
    ["unsloth/gemma", "UD-Q4_K_XL"],
    ["unsloth/gemma:UD-Q4_K_XL", "UD-Q4_K_XL"],
    ["hf:unsloth/gemma:Q4_K_XL", "UD-Q4_K_XL"],
    ["Qwen3-8B-Q4_K_M", "Q4_K_M"],
    ["llama3.2", "/blobs/llama3.2:latest"],
    ["llama3.2:1b", "/blobs/llama3.2:1b"],
    ["ollama:llama3.2", "/blobs/llama3.2:latest"],
    ["jane/helper:v2", "/blobs/jane/helper:v2"],
    ["hf.co/u/r:Q4_0", "/blobs/hf.co/u/r:Q4_0"],
    ["mini", "/folder/mini.gguf"],
    ["MINI.gguf", "/folder/mini.gguf"],
    ["/folder/mini.gguf", "/folder/mini.gguf"],
  ])("finds %s", (name, part) => {
    expect(findModel(models, name)?.files[0].path).toContain(part);
  });

  test.each([
    "",
    "qwen",
    "bartowski",
    "llama3.2:3b",
    "helper",
    "../mini",
    "bartowski/Qwen3-8B-GGUF:Q4",
  ])("finds nothing: %j", (name) => {
    expect(findModel(models, name)).toBeUndefined();
  });

  test("lists the candidates in the error if several models match", () => {
    expect(() => findModel(models, "bartowski/Qwen3-8B-GGUF")).toThrow(
      '"bartowski/Qwen3-8B-GGUF": expected an unambiguous name, got one that matches bartowski/Qwen3-8B-GGUF:Q4_K_M (ggufd), bartowski/Qwen3-8B-GGUF:Q8_0 (Hugging Face\'s cache)',
    );
    const twins = [plain("mini"), plain("mini", "lm-studio")];
    expect(() => findModel(twins, "mini")).toThrow(
      "/folder/mini.gguf (ggufd's folder), /lm-studio/mini.gguf (LM Studio)",
    );
  });

  test("prefers ggufd's copy if another program has the same model", () => {
    const copies = [
      fromHub("u/r", "m-Q4_0.gguf", "pulled"),
      fromHub("u/r", "m-Q4_0.gguf", "hugging-face"),
    ];
    expect(findModel(copies, "u/r:Q4_0")?.place).toBe("pulled");
  });
});
