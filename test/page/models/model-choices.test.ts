import { describe, expect, it, test } from "vitest";
import type { ListedModel } from "../../../src/api/models/models.js";
import {
  describeChoice,
  describeInputs,
  findModel,
  findProblem,
  generatesText,
  groupChoices,
  suggestModel,
  UNREADABLE,
} from "../../../src/page/models/model-choices.js";
import { detailsWith, listedModel } from "./some-models.js";

const loaded = { status: { value: "loaded" } } as const;
const failed = { status: { value: "unloaded", failed: true, reason: "No memory." } } as const;
const inputs = (...kinds: ("text" | "image" | "audio")[]): Partial<ListedModel> => ({
  architecture: { input_modalities: kinds, output_modalities: ["text"] },
});

test.each<[string, Partial<ListedModel>, boolean]>([
  ["a loaded model", { capabilities: ["completion", "embedding"] }, true],
  ["a loaded embedding model", { capabilities: ["embedding"] }, false],
  ["a stored model", { details: detailsWith() }, true],
  ["a stored reranker", { details: detailsWith({ kind: "reranking" }) }, false],
  ["an unreadable file", { details: detailsWith({ kind: null }) }, true],
  ["a model of an unknown kind", {}, true],
])("whether %s is a choice for conversations", (_, facts, expected) => {
  expect(generatesText(listedModel("a", facts))).toBe(expected);
});

test("a model is found by its name before an alias", () => {
  const models = [listedModel("a", { aliases: ["b", "c"] }), listedModel("b")];
  expect(["a", "b", "c", "d"].map((name) => findModel(models, name)?.id)).toEqual([
    ...["a", "b", "a", undefined],
  ]);
});

test.each<[string, Partial<ListedModel>, string | undefined]>([
  ["that failed to load", failed, "No memory."],
  [
    "whose failure has no reason",
    { status: { value: "unloaded", failed: true } },
    "The last load failed.",
  ],
  ["with an unreadable file", { details: detailsWith({ kind: null }) }, UNREADABLE],
  ["that is loaded", { ...loaded, details: detailsWith({ kind: null }) }, undefined],
  ["that is not loaded", { details: detailsWith() }, undefined],
])("the problem of a model %s", (_, facts, problem) => {
  expect(findProblem(listedModel("a", facts))).toBe(problem);
});

describe("the groups of choices", () => {
  const models = [
    listedModel("broken", failed),
    listedModel("Qwen3-4B", { aliases: ["small"] }),
    listedModel("busy", { status: { value: "loading", progress: 0.5 } }),
    listedModel("llama", loaded),
    listedModel("going", { status: { value: "unloading" } }),
    listedModel("vectors", { details: detailsWith({ kind: "embedding" }) }),
  ];
  const shown = (filter?: string) =>
    groupChoices(models, filter).map(({ title, models: listed }) => [
      title,
      ...listed.map(({ id }) => id),
    ]);

  it("have the models that generate text, by state", () => {
    expect(shown()).toEqual([
      ["In memory", "llama", "going"],
      ["Loading", "busy"],
      ["Not loaded", "Qwen3-4B"],
      ["Could not be loaded", "broken"],
    ]);
  });

  test.each([
    ["qwen 4b", [["Not loaded", "Qwen3-4B"]]],
    [" SMALL ", [["Not loaded", "Qwen3-4B"]]],
    ["vectors", []],
  ])('are filtered by "%s"', (filter, expected) => {
    expect(shown(filter)).toEqual(expected);
  });
});

test("without a default, a model in memory is suggested, else the last used one", () => {
  const used = (id: string, last_used_at: number | null, more = {}) =>
    listedModel(id, { details: detailsWith({ last_used_at }), ...more });
  expect(suggestModel([used("a", 5), used("b", null, loaded)])?.id).toBe("b");
  expect(suggestModel([used("a", 5), used("b", 9), used("c", 10, failed)])?.id).toBe("b");
  expect(suggestModel([used("a", null), used("b", null)])?.id).toBe("a");
  expect(suggestModel([])).toBeUndefined();
});

test.each<[Partial<ListedModel>, string]>([
  [
    { ...loaded, ...inputs("text", "image"), details: detailsWith() },
    "8.5 GB, Q8_0, text and images",
  ],
  [{ details: detailsWith({ has_projector: true }) }, "8.5 GB, Q8_0, text, and images or audio"],
  [{ status: { value: "loading", progress: 0.4 } }, "loading, 40 %, text"],
])("the choice %o is described as %s", (facts, text) => {
  expect(describeChoice(listedModel("a", facts))).toBe(text);
});

test("all kinds of input are listed", () => {
  expect(describeInputs(listedModel("a", inputs("text", "image", "audio")))).toBe(
    "text, images, audio",
  );
});
