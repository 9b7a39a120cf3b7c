import assert from "node:assert/strict";
import { describe, expect, test } from "vitest";
import { buildModelSpecs } from "../../src/config/configured-models.js";
import { loadConfig } from "../../src/config/load-config.js";
import {
  buildStoredSpec,
  findHidingReason,
  withSourceFiles,
} from "../../src/config/stored-spec.js";
import { configFolder } from "../support/config-file.js";

const { fileWith } = configFolder();

const hiddenWith = (flags: Readonly<Record<string, unknown>>) =>
  findHidingReason(loadConfig({ flags, environment: {} }).config);

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

/** Adapters listed in a model's manifest. */
const filesAt = (...paths: readonly string[]) => ({
  adapters: paths.map((path) => ({ path })),
  projector: undefined,
});

const { config } = loadConfig({ flags: { lora: ["/main.gguf"] }, environment: {} });
const stored = buildStoredSpec(config, { alias: "sql:7b", path: "/blobs/model" });

test("a stored model does not inherit the main model's adapters", () => {
  expect(stored.adapters).toEqual([]);
});

test("adapters of a stored model's manifest always apply", () => {
  expect(withSourceFiles(stored, filesAt("/blobs/one", "/blobs/two")).adapters).toEqual([
    { name: "sql:7b-adapter-1", path: "/blobs/one", scale: 1, use: "always" },
    { name: "sql:7b-adapter-2", path: "/blobs/two", scale: 1, use: "always" },
  ]);
  const configured = { name: "poet", path: "/p.gguf", scale: 2, use: "when-asked" } as const;
  const { adapters } = withSourceFiles(
    { ...stored, adapters: [configured] },
    filesAt("/blobs/one"),
  );
  expect(adapters.map(({ name }) => name)).toEqual(["poet", "sql:7b-adapter-1"]);
  expect(withSourceFiles(stored, filesAt())).toEqual(stored);
});

describe("the projector of a stored model's manifest", () => {
  const found = { adapters: [], projector: { path: "/blobs/projector" } };
  const withProjector = (projector: string) =>
    withSourceFiles({ ...stored, media: { ...stored.media, projector } }, found);

  test("is used unless another projector or none is configured", () => {
    expect(withProjector("auto")).toEqual({
      ...stored,
      media: { ...stored.media, projector: "/blobs/projector" },
    });
    expect(withProjector("none").media.projector).toBe("none");
    expect(withProjector("/own.gguf").media.projector).toBe("/own.gguf");
  });

  test("is used together with the manifest's adapters", () => {
    const { adapters, media } = withSourceFiles(stored, {
      ...found,
      ...filesAt("/blobs/one"),
      projector: found.projector,
    });
    expect([adapters.length, media.projector]).toEqual([1, "/blobs/projector"]);
  });

  test("is ignored for embedding and reranking models", () => {
    const [embedding] = buildModelSpecs(
      loadConfig({ flags: { embeddingModel: "/e.gguf" }, environment: {} }).config,
    ).filter(({ kind }) => kind === "embedding");
    assert(embedding !== undefined);
    expect(withSourceFiles(embedding, found)).toBe(embedding);
  });
});

test("a stored model inherits the main model's media limits, but not its projector", () => {
  const flags = { model: "/m.gguf", mmproj: "/p.gguf", maxAudioSeconds: "5" };
  const { media } = buildStoredSpec(loadConfig({ flags, environment: {} }).config, {
    alias: "a",
    path: "/b",
  });
  expect(media).toMatchObject({ projector: "auto", maxAudioSeconds: 5 });
});
