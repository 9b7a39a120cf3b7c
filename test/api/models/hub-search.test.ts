import { describe, expect, onTestFinished, test } from "vitest";
import { hubSearchResult } from "../../../src/api/models/hub-search.js";
import { GgufdError } from "../../../src/core/errors.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

function appWith(options: TestAppOptions = {}) {
  const { app, library } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })), options);
  onTestFinished(() => app.close());
  return { app, library };
}

const UNSTATED = {
  ...{ license: undefined, isGated: false, task: undefined, architecture: undefined },
  ...{ parameters: undefined, trainContextSize: undefined, quantizations: undefined },
};

describe("GET /v1/models/search", () => {
  test("lists repositories with their models, and whether each fits", async () => {
    const { app, library } = appWith();
    library.hub = {
      hub: "https://hub.example",
      budget: { cpuBytes: 6e9, gpuBytes: 1e9 },
      repositories: [
        {
          ...{ name: "a/b-GGUF", downloads: 12, likes: 3, license: "mit", isGated: true },
          ...{ task: "text-generation", architecture: "llama", parameters: 8e9 },
          trainContextSize: 8192,
          quantizations: [
            { pullName: "hf:a/b-GGUF:Q4_K_M", label: "Q4_K_M", sizeBytes: 6e9, hasProjector: true },
            { pullName: "hf:a/b-GGUF:Q8_0", label: "Q8_0", sizeBytes: 8e9, hasProjector: true },
          ],
        },
        { ...UNSTATED, name: "c/d", downloads: 1, likes: 0 },
      ],
    };
    const response = await app.inject("/v1/models/search?query=%20b%20&limit=2");
    expect(response.statusCode).toBe(200);
    const body = response.json();
    expect(hubSearchResult.parse(body)).toEqual(body);
    expect(body).toMatchObject({ object: "list", hub: "https://hub.example", memory_budget: 7e9 });
    expect(body.data[0]).toMatchObject({
      ...{ id: "a/b-GGUF", license: "mit", is_gated: true, n_ctx_train: 8192 },
      quantizations: [
        { model: "hf:a/b-GGUF:Q4_K_M", estimated_memory: 6.9e9, fits: true, has_projector: true },
        { model: "hf:a/b-GGUF:Q8_0", size: 8e9, estimated_memory: 9.2e9, fits: false },
      ],
    });
    expect(body.data[1]).toMatchObject({ id: "c/d", license: null, quantizations: null });
    expect(library.calls).toEqual([{ call: "search", name: "b" }]);
  });

  test("returns the error of the hub", async () => {
    const { app, library } = appWith();
    const error = new GgufdError("pull_failed", "The hub cannot be searched: no route to host.");
    library.refuse("search", error);
    const response = await app.inject("/v1/models/search?query=b");
    expect([response.statusCode, response.json().error]).toMatchObject([
      502,
      { code: "pull_failed", message: error.message },
    ]);
  });

  test.each(["", "?query=", "?query=%20", `?query=${"a".repeat(201)}`, "?query=a&limit=21"])(
    "rejects %s",
    async (query) => {
      const { app, library } = appWith();
      expect((await app.inject(`/v1/models/search${query}`)).statusCode).toBe(400);
      expect(library.calls).toEqual([]);
    },
  );

  test("requires the scope admin", async () => {
    const { app } = appWith({ keyLines: ["an-admin scopes=admin", "a-user scopes=inference"] });
    const statusFor = async (key: string) => {
      const headers = { authorization: `Bearer ${key}` };
      return (await app.inject({ url: "/v1/models/search?query=a", headers })).statusCode;
    };
    expect([await statusFor("an-admin"), await statusFor("a-user")]).toEqual([200, 403]);
  });
});
