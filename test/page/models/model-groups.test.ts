import { expect, it } from "vitest";
import type { ListedModel } from "../../../src/api/models/models.js";
import { buildModelGroups } from "../../../src/page/models/model-groups.js";

type State = ListedModel["status"]["value"];

const listed = (id: string, value: State = "unloaded", parent?: string): ListedModel => ({
  id,
  object: "model",
  created: 1,
  owned_by: "ggufd",
  aliases: [],
  root: id,
  status: { value },
  architecture: { input_modalities: ["text"], output_modalities: ["text"] },
  source: "preset",
  can_remove: false,
  ...(parent !== undefined && { parent }),
});

it("the model list starts with loaded models, and groups adapters with their models", () => {
  const models = [
    listed("a"),
    listed("a-poet", "unloaded", "a"),
    listed("b", "loading"),
    listed("lost", "unloaded", "not-there"),
  ];
  const groups = buildModelGroups(models).map(({ model, adapters }) => [
    model.id,
    adapters.map(({ id }) => id),
  ]);
  expect(groups).toEqual([
    ["b", []],
    ["a", ["a-poet"]],
    ["lost", []],
  ]);
});
