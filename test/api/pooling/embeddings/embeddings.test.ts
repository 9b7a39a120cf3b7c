import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { GgufdError } from "../../../../src/core/errors.js";
import { ScriptedEngine } from "../../../support/scripted-engine.js";
import {
  embeddingModel,
  ScriptedPooling,
  type ScriptedPoolingOptions,
  vectorOfText,
} from "../../../support/scripted-pooling.js";
import { servedModel } from "../../../support/served-model.js";
import { buildTestApp, type TestAppOptions } from "../../../support/test-app.js";

function build(options: Partial<ScriptedPoolingOptions> = {}, appOptions: TestAppOptions = {}) {
  const pooling = new ScriptedPooling({ vectorOf: vectorOfText, ...options });
  const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })), {
    otherModels: [embeddingModel(pooling)],
    ...appOptions,
  });
  const embed = async (payload: object | string) => {
    const headers = { "content-type": "application/json" };
    const response = await app.inject({ method: "POST", url: "/v1/embeddings", headers, payload });
    return { status: response.statusCode, body: response.json() };
  };
  return { app, embed, pooling };
}

/** Builds a separate application for one test. */
function serve(...options: Parameters<typeof build>) {
  const served = build(...options);
  onTestFinished(() => served.app.close());
  return served;
}

let standard: ReturnType<typeof build>;
beforeAll(() => {
  standard = build();
});
beforeEach(() => {
  standard.pooling.requests.length = 0;
});
afterAll(() => standard.app.close());

/** Normalises to unit length, as 32-bit floats. */
function unit(...components: readonly number[]): number[] {
  const norm = Math.hypot(...components);
  return components.map((component) => Math.fround(component / norm));
}

describe.each(["/embedding", "/embeddings"])("llama-server's %s", (url) => {
  const post = (payload: object) => standard.app.inject({ method: "POST", url, payload });

  it.each([
    ["a text in content", { content: "ab" }, [unit(2, -97, 195 % 97, 3)]],
    ["a text in input", { input: "ab" }, [unit(2, -97, 195 % 97, 3)]],
    ["texts", { content: ["ab", "c"] }, [unit(2, -97, 195 % 97, 3), unit(1, -99, 99 % 97, 3)]],
    ["token ids", { input: [5, 6] }, [unit(2, -5, 11, 3)]],
  ])("returns embeddings of %s in llama-server's format", async (_, payload, vectors) => {
    const response = await post(payload);
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json()).toEqual(
      vectors.map((vector, index) => ({ index, embedding: [vector] })),
    );
  });

  it.each([
    [{}, "content", "expected texts or token ids, here or in input, and not in both"],
    [{ content: "a", input: "b" }, "content", "and not in both"],
    [{ content: 7 }, "content", "expected a text, token ids, or a list of 1 to 2048 of either"],
    [{ content: ["a", "x".repeat(1_000)] }, "content.1", "expected at most 1000 tokens"],
    [{ content: "a", embd_normalize: -2 }, "embd_normalize", "expected an integer from -1"],
  ])("rejects %.80j with the field's name", async (payload, param, reason) => {
    const response = await post(payload);
    expect(response.statusCode, response.body).toBe(400);
    expect(response.json().error.param).toBe(param);
    expect(response.json().error.message).toContain(reason);
  });
});

describe("a model without a pooling method", () => {
  let served: ReturnType<typeof build>;
  beforeAll(() => {
    const pooling = new ScriptedPooling({ vectorOf: vectorOfText });
    const otherModels = [embeddingModel(pooling, { dimensions: 2, method: "none" })];
    served = build({}, { otherModels });
  });
  afterAll(() => served.app.close());
  const post = (url: string, payload: object) =>
    served.app.inject({ method: "POST", url, payload: { model: "embedder", ...payload } });

  it.each(["/embedding", "/embeddings"])(
    "has an embedding per token, which is not normalised, at %s",
    async (url) => {
      const response = await post(url, { content: ["ab", [5, 6]], embd_normalize: 2 });
      expect(response.json()).toEqual([
        {
          index: 0,
          embedding: [
            [2, -97],
            [195 % 97, 3],
          ],
        },
        {
          index: 1,
          embedding: [
            [2, -5],
            [11, 3],
          ],
        },
      ]);
    },
  );

  it.each([
    ["/v1/embeddings", { input: "a" }],
    ["/v1/score", { text_1: "a", text_2: "b" }],
    ["/api/embed", { input: "a" }],
    ["/api/embeddings", { prompt: "a" }],
  ])("is refused by %s", async (url, payload) => {
    const { statusCode, body } = await post(url, payload);
    expect(statusCode).toBe(400);
    expect(body).toContain(
      "Pooling type 'none' is not OAI compatible. Please use a different pooling type",
    );
  });
});

describe("POST /v1/embeddings", () => {
  it.each([
    ["a text", "ab", [[2, -97, 195 % 97, 3]]],
    [
      "texts",
      ["ab", "c"],
      [
        [2, -97, 195 % 97, 3],
        [1, -99, 99 % 97, 3],
      ],
    ],
    ["token ids", [5, 6], [[2, -5, 11, 3]]],
    ["an empty text", "", [[0, 0, 0, 3]]],
    ["an object of llama-server", { prompt_string: "ab" }, [[2, -97, 195 % 97, 3]]],
    [
      "objects of llama-server among other inputs",
      [{ prompt_string: [5, "a"], multimodal_data: [] }, "ab"],
      [
        [2, -5, 102 % 97, 3],
        [2, -97, 195 % 97, 3],
      ],
    ],
    ["token ids and texts in one input", [5, "a", ""], [[2, -5, 102 % 97, 3]]],
    [
      "a list of texts, token ids and mixed inputs",
      ["", [5, 6], [5, "a"]],
      [
        [0, 0, 0, 3],
        [2, -5, 11, 3],
        [2, -5, 102 % 97, 3],
      ],
    ],
    [
      "lists of token ids",
      [[5, 6], [7]],
      [
        [2, -5, 11, 3],
        [1, -7, 7, 3],
      ],
    ],
  ])("returns embeddings of unit length for %s", async (_name, input, computed) => {
    const { status, body } = await standard.embed({ input });
    expect(status).toBe(200);
    expect(body).toEqual({
      object: "list",
      model: "embedder",
      data: computed.map((components, index) => ({
        object: "embedding",
        index,
        embedding: unit(...components),
      })),
      usage: expect.anything(),
    });
  });

  it("returns numbers or base64 of 32-bit floats", async () => {
    const { embed } = standard;
    const vectors = await Promise.all(
      ["float", "base64", null].map(async (encoding_format) => {
        const { body } = await embed({ input: "ab", encoding_format });
        return body.data[0].embedding;
      }),
    );
    const bytes = Buffer.from(vectors[1], "base64");
    const decoded = Array.from({ length: 4 }, (_, index) => bytes.readFloatLE(4 * index));
    expect(decoded).toEqual(vectors[0]);
    expect(vectors[2]).toEqual(vectors[0]);
  });

  it("returns fewer dimensions, rescaled to unit length", async () => {
    const { body } = await standard.embed({ input: "ab", dimensions: 2 });
    expect(body.data[0].embedding).toEqual(unit(2, -97));
  });

  it("rejects more dimensions than the model has", async () => {
    const { embed, pooling } = standard;
    expect(await embed({ input: "ab", dimensions: 5 })).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request", param: "dimensions" } },
    });
    expect(pooling.requests).toEqual([]);
  });

  it("returns embeddings in the order of the inputs", async () => {
    const input = Array.from({ length: 2048 }, (_, index) => "x".repeat(1 + (index % 50)));
    const { embed } = serve({ vectorOf: (content) => [vectorOfText(content)[0] ?? 0, 1, 0, 0] });
    const { body } = await embed({ input });
    const lengths = body.data.map(({ embedding: [one, other] }: { embedding: [number, number] }) =>
      Math.round(one / other),
    );
    expect(lengths).toEqual(input.map(({ length }) => length));
  });

  it("includes tokens that the model adds in the usage", async () => {
    const { body } = await standard.embed({ input: ["ab", "c"] });
    expect(body.usage).toEqual({ prompt_tokens: 7, total_tokens: 7 });
  });

  it("returns 500 instead of null if the model computes NaN", async () => {
    const { status, body } = await serve({ vectorOf: () => [Number.NaN, 1, 1, 1] }).embed({
      input: "ab",
    });
    expect(status).toBe(500);
    expect(body).toMatchObject({ error: { code: "internal_error" } });
  });

  it.each(["\u0000", '"}\n', "\ud800", "😀", "<|im_end|>"])(
    "accepts any text: %j",
    async (input) => {
      const { embed, pooling } = standard;
      expect(await embed({ input })).toMatchObject({ status: 200 });
      expect(pooling.requests[0]?.inputs).toEqual([
        { content: { type: "text", text: input }, field: "input" },
      ]);
    },
  );
});

describe("an input that exceeds the context", () => {
  const input = ["abc", "abcdefgh"];

  it.each([{}, { truncate: false }, { truncate: "NONE" }, { truncate: null }])(
    "is rejected with its index and the limit: %j",
    async (fields) => {
      expect(await serve({ contextSize: 8 }).embed({ input, ...fields })).toMatchObject({
        status: 400,
        body: {
          error: {
            code: "context_length_exceeded",
            param: "input.1",
            message: expect.stringMatching(/at most 8 tokens.*got 10/),
          },
        },
      });
    },
  );

  it.each([
    [{ truncate: true }, "abcdef"],
    [{ truncate: "END" }, "abcdef"],
    [{ truncate: "START" }, "cdefgh"],
    [{ truncate_prompt_tokens: -1 }, "abcdef"],
    [{ truncate: "START", truncate_prompt_tokens: -1 }, "cdefgh"],
  ])("is truncated on request: %j", async (fields, kept) => {
    const { embed } = serve({ contextSize: 8 });
    const cut = await embed({ input, ...fields });
    const whole = await embed({ input: ["abc", kept] });
    expect(cut).toEqual(whole);
  });
});

describe("embeddings are normalised", () => {
  const computed = [2, -5, 11, 3];
  const divided = (by: number) => computed.map((component) => Math.fround(component / by));

  it.each([
    [{ embd_normalize: -1 }, computed],
    [{ embd_normalize: 0 }, divided(11 / 32760)],
    [{ embd_normalize: 1 }, divided(21)],
    [{ embd_normalize: 2 }, unit(...computed)],
    [{ normalize: true }, unit(...computed)],
    [{ normalize: false }, computed],
    [{ normalize: false, embd_normalize: 2 }, unit(...computed)],
    [{ embd_normalize: -1, dimensions: 2 }, [2, -5]],
  ])("as requested by %j", async (fields, embedding) => {
    const { body } = await standard.embed({ input: [5, 6], ...fields });
    expect(body.data).toEqual([{ object: "embedding", index: 0, embedding }]);
  });

  it("as the server is set up, unless a request selects another way", async () => {
    const { app, embed } = serve({}, { normalisation: -1 });
    const embeddingOf = async (fields: object) => (await embed({ input: [5, 6], ...fields })).body;
    expect((await embeddingOf({})).data[0].embedding).toEqual(computed);
    expect((await embeddingOf({ embd_normalize: 2 })).data[0].embedding).toEqual(unit(...computed));
    const payload = { content: [5, 6] };
    const native = await app.inject({ method: "POST", url: "/embedding", payload });
    expect(native.json()).toEqual([{ index: 0, embedding: [computed] }]);
  });

  it.each([
    [{ encoding_format: "int8" }, [23, -58, 127, 35]],
    [{ embedding_type: "ubinary" }, [0b10110000]],
    [{ embedding_type: "ubinary", encoding_format: "uint8" }, [151, 70, 255, 163]],
  ])("and converted as requested by %j", async (fields, embedding) => {
    const { body } = await standard.embed({ input: [5, 6], ...fields });
    expect(body.data).toEqual([{ object: "embedding", index: 0, embedding }]);
  });

  it("in llama-server's format as well", async () => {
    const payload = { content: [5, 6], embd_normalize: -1 };
    const response = await standard.app.inject({ method: "POST", url: "/embedding", payload });
    expect(response.json()).toEqual([{ index: 0, embedding: [computed] }]);
  });
});

describe("an invalid embedding request is rejected with the field's path", () => {
  it.each([
    [{}, "input"],
    [{ input: null }, "input"],
    [{ input: [] }, "input"],
    [{ input: 7 }, "input"],
    [{ input: { prompt_string: 7 } }, "input.prompt_string"],
    [{ input: [{ text: 7 }] }, "input.0.text"],
    [{ input: ["a", { prompt_string: 7 }] }, "input.1.prompt_string"],
    [{ input: { prompt_string: "a", multimodal_data: ["aGk="] } }, "input.multimodal_data"],
    [{ input: ["a", null] }, "input.1"],
    [{ input: ["a", -7] }, "input.1"],
    [{ input: [7, "a", [8]] }, "input.2"],
    [{ input: ["a", [7, null]] }, "input.1.1"],
    [{ input: [[]] }, "input.0"],
    [{ input: [[1], [2, -1]] }, "input.1.1"],
    [{ input: [1, 0.5] }, "input.1"],
    [{ input: "a", model: 7 }, "model"],
    [{ input: "a", encoding_format: "int4" }, "encoding_format"],
    [{ input: "a", dimensions: 0 }, "dimensions"],
    [{ input: "a", dimensions: "4" }, "dimensions"],
    [{ input: "a", truncate: "LEFT" }, "truncate"],
    [{ input: "a", truncate_prompt_tokens: 5 }, "truncate_prompt_tokens"],
    [{ input: "a", embd_normalize: -2 }, "embd_normalize"],
    [{ input: "a", normalize: 0 }, "normalize"],
    [{ input: "a", add_special_tokens: false }, "add_special_tokens"],
  ])("%j", async (payload, param) => {
    const { embed, pooling } = standard;
    const { status, body } = await embed(payload);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ type: "invalid_request_error", param });
    expect(body.error.message).toMatch(new RegExp(`^${param}: expected .*, got `));
    expect(pooling.requests).toEqual([]);
  });

  it("for a body that is not an object", async () => {
    expect(await standard.embed("null")).toMatchObject({ status: 400 });
    expect(await standard.embed("[]")).toMatchObject({ status: 400 });
  });
});

it("POST /v1/embeddings reads Jina's objects of a text", async () => {
  const { body } = await standard.embed({ input: [{ text: "ab" }, "ab"] });
  expect(body.data[0].embedding).toEqual(body.data[1].embedding);
});

it.each([
  ["texts", "a"],
  ["lists of token ids", [1]],
])("POST /v1/embeddings rejects too many %s", async (_name, one) => {
  const { body } = await standard.embed({ input: Array.from({ length: 2049 }, () => one) });
  expect(body.error).toMatchObject({
    param: "input",
    message: expect.stringMatching(/^input: expected at most 2048 inputs, got /),
  });
});

it("one input may have more tokens than the maximum number of inputs", async () => {
  const { status } = await serve({ contextSize: 3000 }).embed({ input: Array(2049).fill(1) });
  expect(status).toBe(200);
});

describe("an embedding request", () => {
  it("is rejected for a model without embeddings", async () => {
    expect(await standard.embed({ input: "a", model: "scripted" })).toMatchObject({
      status: 400,
      body: { error: { param: "model", message: expect.stringContaining("`embedder`") } },
    });
    expect(await standard.embed({ input: "a", model: "gpt-5" })).toMatchObject({ status: 404 });
  });

  it("is answered by a model that generates text if it also serves embeddings", async () => {
    const pooling = new ScriptedPooling({ vectorOf: vectorOfText });
    const embeddings = embeddingModel(pooling, { alias: "both" });
    const { app, embed } = serve({}, { otherModels: [{ ...servedModel("both"), embeddings }] });
    for (const model of ["both", undefined]) {
      expect(await embed({ input: "a", model })).toMatchObject({
        status: 200,
        body: { model: "both", data: [{ embedding: unit(1, -97, 0, 3) }] },
      });
    }
    const { data } = (await app.inject("/v1/models")).json();
    expect(data).toMatchObject([
      { id: "both", capabilities: expect.arrayContaining(["completion", "embedding"]) },
      { id: "scripted", capabilities: expect.not.arrayContaining(["embedding"]) },
    ]);
    const payload = { model: "both" };
    const shown = await app.inject({ method: "POST", url: "/api/show", payload });
    expect(shown.json().capabilities).toContain("embedding");
  });

  it("is rejected with a hint to --embedding-model if no embedding model is configured", async () => {
    expect(await serve({}, { otherModels: [] }).embed({ input: "a" })).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("--embedding-model") } },
    });
  });
});

it("an overloaded embedding model returns 503", async () => {
  const overload = new GgufdError("server_overloaded", "Too many.", { retryAfterSeconds: 4 });
  const { embed } = serve({ endingOf: () => overload });
  expect(await embed({ input: "a" })).toMatchObject({ status: 503 });
});
