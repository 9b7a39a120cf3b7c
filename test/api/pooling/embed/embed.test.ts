import { beforeAll, describe, expect, it } from "vitest";
import { embedAnswer } from "../../../../src/api/pooling/embed/answer.js";
import { ScriptedEngine } from "../../../support/scripted-engine.js";
import {
  embeddingModel,
  ScriptedPooling,
  vectorOfText,
} from "../../../support/scripted-pooling.js";
import { buildTestApp } from "../../../support/test-app.js";

let app: ReturnType<typeof buildTestApp>["app"];
const pooling = new ScriptedPooling({ vectorOf: vectorOfText });
beforeAll(() => {
  ({ app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })), {
    otherModels: [embeddingModel(pooling)],
  }));
});

const post = (url: string, payload: object) => app.inject({ method: "POST", url, payload });

/** Normalises to unit length, as 32-bit floats. */
function unit(...components: readonly number[]): number[] {
  const norm = Math.hypot(...components);
  return components.map((component) => Math.fround(component / norm));
}

const AB = unit(2, -97, 195 % 97, 3);

describe("Cohere's embeddings", () => {
  it("are a list in version 1", async () => {
    const response = await post("/v1/embed", { texts: ["ab", "ab"], input_type: "search_query" });
    expect(response.statusCode, response.body).toBe(200);
    expect(embedAnswer.parse(response.json())).toMatchObject({
      response_type: "embeddings_floats",
      embeddings: [AB, AB],
      texts: ["ab", "ab"],
      meta: { api_version: { version: "1" }, billed_units: { input_tokens: expect.any(Number) } },
    });
  });

  it("are listed by type in version 2", async () => {
    const response = await post("/v2/embed", { texts: ["ab"] });
    expect(embedAnswer.parse(response.json())).toMatchObject({
      response_type: "embeddings_by_type",
      embeddings: { float: [AB] },
      meta: { api_version: { version: "2" } },
    });
  });

  it.each(["/v1/embed", "/v2/embed"])("have the requested types at %s", async (url) => {
    const types = ["ubinary", "int8"];
    const response = await post(url, { texts: ["ab"], embedding_types: types });
    expect(response.json().embeddings).toEqual({
      int8: [[3, -127, 1, 4]],
      ubinary: [[0b10110000]],
    });
  });

  it("have the requested length", async () => {
    const response = await post("/v2/embed", { texts: ["ab"], output_dimension: 2 });
    expect(response.json().embeddings.float).toEqual([unit(2, -97)]);
  });

  it("join the texts of an input's parts", async () => {
    const content = [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ];
    const response = await post("/v2/embed", { inputs: [{ content }] });
    expect(response.json().texts).toEqual(["a\nb"]);
  });

  it.each([
    [{}, "texts", "expected texts, here or in inputs, and not in both"],
    [{ texts: ["a"], inputs: [] }, "inputs", "expected at least one input"],
    [{ texts: [] }, "texts", "expected at least one input"],
    [{ texts: [7] }, "texts.0", "expected a string"],
    [{ texts: ["a"], images: ["data:"] }, "images", "embeddings are of text only"],
    [{ texts: ["a"], embedding_types: ["int4"] }, "embedding_types.0", "ubinary"],
    [{ texts: ["a"], output_dimension: 5 }, "output_dimension", "expected an integer from 1 to 4"],
    [{ texts: ["a"], truncate: "MIDDLE" }, "truncate", '"END"'],
    [
      { inputs: [{ content: [{ type: "image_url", image_url: {} }] }] },
      "inputs.0.content.0.type",
      "embeddings are of text only",
    ],
  ])("are refused with the field's name for %j", async (payload, param, reason) => {
    const response = await post("/v2/embed", payload);
    expect(response.statusCode, response.body).toBe(400);
    expect(response.json().error.param).toBe(param);
    expect(response.json().error.message).toContain(reason);
  });
});
