import { access, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FileLock } from "../../../src/files/file-lock.js";
import { writeManifest } from "../../../src/models/store/manifest.js";
import { resolveModelPlaces } from "../../../src/models/store/model-folders.js";
import { ModelStore } from "../../../src/models/store/model-store.js";
import { readOllamaTexts } from "../../../src/models/store/ollama-texts.js";
import { sizeOf } from "../../../src/models/store/stored-model.js";
import {
  emptyMachine,
  put,
  putInCache,
  putInOllama,
  sha256Of,
} from "../../support/model-sources/other-programs.js";

const namesIn = async (store: ModelStore) =>
  (await store.list()).models.map(({ place, name }) => `${place} ${name}`);

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** A pulled model with two quantisations and one projector. */
async function pulled(own: string, tag: string) {
  const folder = "hf/u/r";
  const file = { path: `${folder}/m-${tag}.gguf`, sizeBytes: 4, sha256: sha256Of("GGUF") };
  const projector = { path: `${folder}/mmproj-F16.gguf`, sizeBytes: 2 };
  await put(join(own, file.path), "GGUF");
  await put(join(own, projector.path), "pp");
  const manifestPath = await writeManifest(own, `${folder}/m-${tag}`, {
    version: 1,
    name: `u/r:${tag}`,
    aliases: ["u/r"],
    sources: ["hf:u/r"],
    pulledAt: "2026-11-26T12:00:00.000Z",
    origin: { kind: "hugging-face", repo: "u/r", revision: "c", file: `m-${tag}.gguf` },
    files: [file],
    projector,
    adapters: [],
  });
  return { path: join(own, file.path), projector: join(own, projector.path), manifestPath };
}

describe("listing models", () => {
  test("returns an empty list on a machine without models", async () => {
    const store = new ModelStore(await emptyMachine());
    expect(await store.list()).toEqual({ models: [], partials: [], problems: [] });
  });

  test("returns the models of all folders under their usual names", async () => {
    const places = await emptyMachine();
    const { own, huggingFaceCaches, ollama, lmStudio } = places;
    await pulled(own, "Q4_0");
    await put(join(own, "mine.gguf"));
    await putInCache(huggingFaceCaches[0] ?? "", {
      repo: "a/b-c",
      revision: "1",
      file: "x-Q8_0.gguf",
    });
    await putInOllama(ollama[0] ?? "", "registry.ollama.ai/library/llama3/latest", [
      ["model", "g"],
    ]);
    await put(join(lmStudio[0] ?? "", "pub", "repo", "lm-Q4_K_M.gguf"));
    expect(await namesIn(new ModelStore(places))).toEqual([
      "folder mine",
      "pulled u/r:Q4_0",
      "hugging-face a/b-c:Q8_0",
      "ollama llama3:latest",
      "lm-studio lm-Q4_K_M",
    ]);
  });

  test("omits partially downloaded files, but reports them", async () => {
    const places = await emptyMachine();
    const partial = await put(join(places.own, "hf/u/r/m-Q4_0.gguf.part"), "GG");
    await put(join(places.own, "hf/u/r/s-00001-of-00002.gguf"));
    const { models, partials } = await new ModelStore(places).list();
    expect(models).toEqual([]);
    expect(partials).toMatchObject([{ path: partial, sizeBytes: 2 }]);
  });

  test.each<[string, (path: string, manifestPath: string) => Promise<unknown>, string]>([
    ["no file", (path) => rm(path), "expected a file of 4 bytes, got none"],
    [
      "a truncated file",
      (path) => writeFile(path, "GG"),
      "expected a file of 4 bytes, got one of 2",
    ],
    ["an invalid manifest", (_, manifest) => writeFile(manifest, "{"), "not JSON"],
  ])("reports a model that has %s, and lists the others", async (_, damage, reason) => {
    const places = await emptyMachine();
    const { path, manifestPath } = await pulled(places.own, "Q4_0");
    await put(join(places.own, "other.gguf"));
    await damage(path, manifestPath);
    const { models, problems } = await new ModelStore(places).list();
    expect(models.map(({ name }) => name)).toContain("other");
    expect(models.map(({ name }) => name)).not.toContain("u/r:Q4_0");
    expect(problems).toMatchObject([
      { path: manifestPath, reason: expect.stringContaining(reason) },
    ]);
  });

  test("reports a file with invisible characters in its name, and lists the others", async () => {
    const places = await emptyMachine();
    const [cache = ""] = places.huggingFaceCaches;
    const path = await put(join(places.own, "a\u202eb.gguf"));
    await putInCache(cache, { repo: "u/r", revision: "1", file: "a\u200b-Q4_0.gguf" });
    await put(join(places.own, "other.gguf"));
    const { models, problems } = await new ModelStore(places).list();
    expect(models.map(({ name }) => name)).toEqual(["other"]);
    expect(problems).toHaveLength(2);
    expect(problems).toContainEqual({
      path,
      reason: 'expected a name without control or format characters, got "a\\u202eb"',
    });
  });

  test("follows symbolic links, and stops at a loop of links", async () => {
    const places = await emptyMachine();
    const elsewhere = await put(join(places.root, "elsewhere", "m.gguf"));
    await mkdir(places.own, { recursive: true });
    await symlink(places.own, join(places.own, "loop"));
    await symlink(join(places.root, "elsewhere"), join(places.own, "linked"));
    await symlink(join(places.root, "nothing"), join(places.own, "broken.gguf"));
    const { models } = await new ModelStore(places).list();
    expect(models.find(({ name }) => name === "m")).toBeDefined();
    expect(elsewhere).toBeDefined();
    expect(models.every(({ name }) => name === "m")).toBe(true);
  });
});

describe("the Hugging Face cache", () => {
  test("is read at the revision of the main branch, with digests, projectors and parts", async () => {
    const places = await emptyMachine();
    const [cache = ""] = places.huggingFaceCaches;
    const repo = "u/r";
    for (const revision of ["old", "new"]) {
      await putInCache(cache, { repo, revision, file: "m-Q4_0.gguf" }, revision);
    }
    await putInCache(cache, { repo, revision: "old", file: "gone-Q8_0.gguf" });
    await putInCache(cache, { repo, revision: "new", file: "mmproj-F16.gguf" }, "p");
    await put(join(cache, "models--u--r", "refs", "main"), "new\n");
    const { models } = await new ModelStore(places).list();
    expect(models.map(({ name }) => name)).toEqual(["u/r:Q4_0", "u/r:Q8_0"]);
    expect(models[0]).toMatchObject({
      origin: { kind: "hugging-face", repo, revision: "new", file: "m-Q4_0.gguf" },
      files: [{ sha256: sha256Of("new"), sizeBytes: 3 }],
      projector: { sha256: sha256Of("p") },
    });
  });

  test("contains no model if its blob is missing", async () => {
    const places = await emptyMachine();
    const [cache = ""] = places.huggingFaceCaches;
    await putInCache(cache, { repo: "u/r", revision: "1", file: "m-Q4_0.gguf" });
    await rm(join(cache, "models--u--r", "blobs"), { recursive: true });
    expect(await namesIn(new ModelStore(places))).toEqual([]);
  });
});

describe("the Ollama folder", () => {
  test("provides names, adapters, projectors and text layers", async () => {
    const places = await emptyMachine();
    await putInOllama(places.ollama[0] ?? "", "registry.ollama.ai/jane/vision/v2", [
      ["model", "weights"],
      ["projector", "eyes"],
      ["adapter", "lora"],
      ["template", "{{ .Prompt }}"],
      ["system", "Be kind."],
      ["params", '{"temperature":0.5,"stop":["<end>"]}'],
      ["license", "MIT"],
      ["license", "Apache"],
      ["tensor", "what later versions have"],
    ]);
    const model = await new ModelStore(places).find("jane/vision:v2");
    expect(sizeOf(model)).toBe("weightseyeslora".length);
    expect(model.files[0].sha256).toBe(sha256Of("weights"));
    if (model.place !== "ollama") throw new Error(model.place);
    expect(await readOllamaTexts(model.origin.texts)).toEqual({
      template: "{{ .Prompt }}",
      system: "Be kind.",
      parameters: { temperature: 0.5, stop: ["<end>"] },
      messages: [],
      licenses: ["MIT", "Apache"],
    });
  });

  test("lists two tags of the same file separately", async () => {
    const places = await emptyMachine();
    for (const tag of ["latest", "1b"]) {
      await putInOllama(places.ollama[0] ?? "", `registry.ollama.ai/library/m/${tag}`, [
        ["model", "w"],
      ]);
    }
    expect(await namesIn(new ModelStore(places))).toEqual(["ollama m:1b", "ollama m:latest"]);
  });

  test.each([
    ["is invalid JSON", "{"],
    [
      "contains a path as a digest",
      '{"schemaVersion":2,"layers":[{"mediaType":"application/vnd.ollama.image.model","digest":"sha256:../../x","size":1}]}',
    ],
    ["lists no GGUF weights", '{"schemaVersion":2,"layers":[]}'],
  ])("is still listed if one manifest %s", async (_, manifest) => {
    const places = await emptyMachine();
    const [folder = ""] = places.ollama;
    await put(join(folder, "manifests/registry.ollama.ai/library/bad/latest"), manifest);
    await putInOllama(folder, "registry.ollama.ai/library/good/latest", [["model", "w"]]);
    expect(await namesIn(new ModelStore(places))).toEqual(["ollama good:latest"]);
  });

  test("contains no model if its blob is shorter than declared in the manifest", async () => {
    const places = await emptyMachine();
    const [folder = ""] = places.ollama;
    await putInOllama(folder, "registry.ollama.ai/library/m/latest", [["model", "weights"]]);
    await writeFile(join(folder, "blobs", `sha256-${sha256Of("weights")}`), "we");
    expect(await namesIn(new ModelStore(places))).toEqual([]);
  });
});

describe("adding a file", () => {
  test("accepts a file with its parts and projector, or a folder, and records it once", async () => {
    const places = await emptyMachine();
    const store = new ModelStore(places);
    const folder = join(places.root, "models");
    for (const part of [1, 2]) await put(join(folder, `m-Q4_0-0000${part}-of-00002.gguf`));
    await put(join(folder, "mmproj-F16.gguf"));
    await put(join(places.root, "many", "deep", "x.gguf"));
    const [model] = await store.add(join(folder, "m-Q4_0-00002-of-00002.gguf"));
    expect(model).toMatchObject({ name: "m-Q4_0", files: [{}, {}], projector: {} });
    await store.add(join(folder, "m-Q4_0-00002-of-00002.gguf"));
    await store.add(join(places.root, "many"));
    expect(await namesIn(store)).toEqual(["added m-Q4_0", "added x"]);
  });

  test.each(["missing.gguf", "empty", "text.txt", "m-00001-of-00002.gguf"])(
    "refuses a path that is not a model: %s",
    async (name) => {
      const places = await emptyMachine();
      await mkdir(join(places.root, "empty"));
      await put(join(places.root, "text.txt"));
      await put(join(places.root, "m-00001-of-00002.gguf"));
      const store = new ModelStore(places);
      await expect(store.add(join(places.root, name))).rejects.toThrow(name);
      expect(await exists(join(places.own, "added.json"))).toBe(false);
    },
  );

  test("reports added files that are missing, and an invalid list of added files", async () => {
    const places = await emptyMachine();
    const store = new ModelStore(places);
    const path = await put(join(places.root, "m.gguf"));
    await store.add(path);
    await rm(path);
    expect(await store.list()).toMatchObject({ models: [], problems: [{ path }] });
    await writeFile(join(places.own, "added.json"), "[]");
    expect((await store.list()).problems).toMatchObject([
      { reason: expect.stringContaining("not a list of added paths") },
    ]);
  });

  test("is undone by removal without deleting the file", async () => {
    const places = await emptyMachine();
    const store = new ModelStore(places);
    const path = await put(join(places.root, "m.gguf"));
    await store.add(path);
    expect(await store.remove("m")).toMatchObject({ outcome: "forgotten", paths: [path] });
    expect(await exists(path)).toBe(true);
    expect(await namesIn(store)).toEqual([]);
  });
});

describe("removing a model", () => {
  test("keeps files that another model uses, and deletes empty folders", async () => {
    const places = await emptyMachine();
    const store = new ModelStore(places);
    const [one, other] = [await pulled(places.own, "Q4_0"), await pulled(places.own, "Q8_0")];
    expect(await store.remove("u/r:Q4_0")).toEqual({
      outcome: "removed",
      name: "u/r:Q4_0",
      paths: [one.path],
      freedBytes: 4,
    });
    expect(await exists(one.projector)).toBe(true);
    expect(await namesIn(store)).toEqual(["pulled u/r:Q8_0"]);
    expect(await store.remove("u/r")).toMatchObject({
      paths: [other.path, other.projector],
      freedBytes: 6,
    });
    expect(await exists(join(places.own, "hf"))).toBe(false);
    expect(await exists(join(places.own, "manifests"))).toBe(false);
  });

  test("by path deletes the files of an interrupted pull", async () => {
    const places = await emptyMachine();
    const partial = await put(join(places.own, "hf/u/r/m.gguf.part"), "GG");
    await put(`${partial}.json`, "{}");
    const removal = await new ModelStore(places).remove(partial);
    expect(removal).toMatchObject({ outcome: "removed", freedBytes: 2 });
    expect(await exists(join(places.own, "hf"))).toBe(false);
  });

  test("is refused while the model is being pulled", async () => {
    const places = await emptyMachine();
    const { manifestPath, path } = await pulled(places.own, "Q4_0");
    const lock = await FileLock.acquire(`${manifestPath}.lock`);
    await expect(new ModelStore(places).remove("u/r")).rejects.toMatchObject({ code: "in_use" });
    await lock.release();
    expect(await exists(path)).toBe(true);
  });

  test("is refused for models of other programs, with the command that removes them", async () => {
    const places = await emptyMachine();
    await putInOllama(places.ollama[0] ?? "", "registry.ollama.ai/library/m/latest", [
      ["model", "w"],
    ]);
    const [cache = ""] = places.huggingFaceCaches;
    const link = await putInCache(cache, { repo: "u/r", revision: "1", file: "x-Q4_0.gguf" });
    const lm = await put(join(places.lmStudio[0] ?? "", "l.gguf"));
    const store = new ModelStore(places);
    await expect(store.remove("m")).rejects.toThrow(
      "which is a model of Ollama; remove it with ollama rm m:latest",
    );
    await expect(store.remove("u/r")).rejects.toThrow(
      "Hugging Face's cache; remove it with hf cache rm",
    );
    await expect(store.remove("l")).rejects.toThrow("LM Studio");
    expect(await readFile(link, "utf8")).toBe("x-Q4_0.gguf");
    expect(await exists(lm)).toBe(true);
  });

  test("is refused for an unknown name", async () => {
    const store = new ModelStore(await emptyMachine());
    await expect(store.remove("../../etc/passwd")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("the model folders", () => {
  test.each([
    [
      {},
      {
        own: "/home/u/.local/share/ggufd/models",
        huggingFaceCaches: ["/home/u/.cache/huggingface/hub"],
      },
    ],
    [
      { XDG_DATA_HOME: "/d", HF_HOME: "/hf" },
      { own: "/d/ggufd/models", huggingFaceCaches: ["/hf/hub"] },
    ],
    [
      { HF_HUB_CACHE: "/hub", HF_HOME: "/hf", LLAMA_CACHE: "/l" },
      { huggingFaceCaches: ["/hub", "/l"] },
    ],
    [{ OLLAMA_MODELS: "/o" }, { ollama: ["/o"] }],
    [{}, { ollama: ["/home/u/.ollama/models", "/usr/share/ollama/.ollama/models"] }],
    [{}, { lmStudio: ["/home/u/.lmstudio/models", "/home/u/.cache/lm-studio/models"] }],
  ])("follow the environment %j", (environment, expected) => {
    expect(resolveModelPlaces(environment, undefined, "/home/u")).toMatchObject(expected);
  });

  test("include the folder set in the configuration", () => {
    expect(resolveModelPlaces({ XDG_DATA_HOME: "/d" }, "/m", "/home/u").own).toBe("/m");
  });
});
