import { describe, expect, it } from "vitest";
import {
  anthropicModel,
  anthropicModelList,
  toAnthropicModelList,
} from "../../../src/api/models/anthropic-models.js";
import type { ListedModel } from "../../../src/api/models/models.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { storedModel } from "../../support/scripted-library.js";
import { ALIAS, buildTestApp } from "../../support/test-app.js";

const headers = { "anthropic-version": "2023-06-01" };
const named = (...ids: readonly string[]) =>
  ids.map((id) => ({ id, created: 1_700_000_000 }) as ListedModel);
const models = named("d", "b", "a", "c");
const idsOf = (query: Partial<Parameters<typeof toAnthropicModelList>[1]>) => {
  const list = toAnthropicModelList(models, { limit: 20, ...query });
  return { ids: list.data.map(({ id }) => id).join(""), ...list };
};

describe("a page of Anthropic's model list", () => {
  it.each([
    [{}, "abcd", false],
    [{ limit: 2 }, "ab", true],
    [{ limit: 2, after_id: "b" }, "cd", false],
    [{ limit: 1, after_id: "b" }, "c", true],
    [{ after_id: "d" }, "", false],
    [{ limit: 2, before_id: "d" }, "bc", true],
    [{ limit: 2, before_id: "c" }, "ab", false],
  ])("for %j is %s", (query, ids, hasMore) => {
    const page = idsOf(query);
    expect(page.ids).toBe(ids);
    expect(page.has_more).toBe(hasMore);
    expect([page.first_id, page.last_id]).toEqual([ids.at(0) ?? null, ids.at(-1) ?? null]);
  });

  it("is refused for two cursors", () => {
    expect(() => idsOf({ after_id: "a", before_id: "c" })).toThrow(
      'before_id: expected either after_id or before_id, got both: "c"',
    );
  });
});

describe("a request with Anthropic's version", () => {
  const build = () => {
    const { app, library } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })));
    library.add(storedModel("stored"));
    return app;
  };

  it("gets its list of models", async () => {
    const response = await build().inject({ url: "/v1/models?limit=1", headers });
    expect(response.headers.vary).toContain("anthropic-version");
    expect(anthropicModelList.parse(response.json())).toMatchObject({
      data: [{ type: "model", id: ALIAS, created_at: expect.stringMatching(/^\d{4}-.*Z$/) }],
      has_more: true,
    });
  });

  it("gets a model in its format", async () => {
    const response = await build().inject({ url: "/v1/models/stored", headers });
    expect(anthropicModel.parse(response.json())).toMatchObject({ id: "stored" });
  });

  it.each([
    ["GET", "/v1/models?limit=0", 400, "invalid_request_error"],
    ["GET", "/v1/models/nothing", 404, "not_found_error"],
    ["GET", "/v1/nothing", 404, "not_found_error"],
    ["POST", "/v1/embeddings", 400, "invalid_request_error"],
  ] as const)("gets errors in its envelope: %s %s", async (method, url, status, type) => {
    const response = await build().inject({ method, url, headers, payload: {} });
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject({
      type: "error",
      error: { type, message: expect.any(String) },
      request_id: response.headers["x-request-id"],
    });
  });
});
