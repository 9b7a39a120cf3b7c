import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { UsageList } from "../../../src/api/usage/answer.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { someUsage } from "../../support/some-usage.js";
import { buildTestApp } from "../../support/test-app.js";
import { storeUsageInMemory, UsageInMemory } from "../../support/usage-in-memory.js";

const NOON = Date.parse("2026-11-02T12:30:00Z");
const seconds = (text: string) => Date.parse(text) / 1000;
const keyLines = ["admin-key name=root scopes=admin", "alice-key name=alice scopes=inference"];

/** A server at noon, with some usage of that hour. */
async function serve({ keys = keyLines }: { keys?: readonly string[] } = {}) {
  vi.useFakeTimers({ now: NOON, toFake: ["Date"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  let nowMs = NOON;
  const store = storeUsageInMemory(new UsageInMemory(), () => nowMs);
  const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })), {
    usage: store,
    keyLines: keys,
  });
  onTestFinished(() => app.close());
  const get = (query: string, headers: Record<string, string> = {}) =>
    app.inject({
      url: `/v1/usage${query}`,
      headers: { ...(keys.length > 0 && { authorization: "Bearer admin-key" }), ...headers },
    });
  const list = async (query: string) => (await get(query)).json<UsageList>();
  const addAt = (time: string, given = {}) => {
    nowMs = Date.parse(time);
    store.add(someUsage(given));
    nowMs = NOON;
  };
  return { get, list, addAt };
}

const alice = { authorization: "Bearer alice-key" };

describe("GET /v1/usage", () => {
  it("lists all buckets of the interval in OpenAI's shape, and the empty ones without results", async () => {
    const { list, addAt } = await serve();
    addAt("2026-11-01T10:00:00Z", {
      ...{ promptTokens: 100, cachedTokens: 40, completionTokens: 7 },
      ...{ images: 2, audioSeconds: 1.25, engineMs: 1500 },
    });
    const { start_time, end_time } = {
      start_time: seconds("2026-10-31T05:00:00Z"),
      end_time: seconds("2026-11-02"),
    };
    expect(await list(`?start_time=${start_time}&end_time=${end_time}`)).toEqual({
      object: "page",
      data: [
        {
          object: "bucket",
          start_time: seconds("2026-10-31"),
          end_time: seconds("2026-11-01"),
          results: [],
        },
        {
          object: "bucket",
          start_time: seconds("2026-11-01"),
          end_time: seconds("2026-11-02"),
          results: [
            {
              object: "organization.usage.completions.result",
              num_model_requests: 1,
              input_tokens: 100,
              input_cached_tokens: 40,
              output_tokens: 7,
              images: 2,
              audio_seconds: 1.25,
              engine_seconds: 1.5,
              ...{ project_id: null, user_id: null, api_key_id: null, model: null },
              ...{ adapter: null, api: null, batch: null },
            },
          ],
        },
      ],
      has_more: false,
      next_page: null,
    });
  });

  it.each([
    ["group_by=key&group_by=model"],
    ["group_by=model,key"],
    ["group_by[]=api_key_id&group_by[]=model"],
  ])("groups by the named properties: %s", async (groupBy) => {
    const { list, addAt } = await serve();
    addAt("2026-11-02T01:00:00Z", { class: "batch" });
    addAt("2026-11-02T02:00:00Z");
    addAt("2026-11-02T03:00:00Z", { key: "bob" });
    const { data } = await list(`?limit=1&${groupBy}`);
    expect(data[0]?.results).toMatchObject([
      { api_key_id: "alice", model: "mini", batch: null, num_model_requests: 2 },
      { api_key_id: "bob", model: "mini", batch: null, num_model_requests: 1 },
    ]);
  });

  it("separates batches, routes and adapters", async () => {
    const { list, addAt } = await serve();
    addAt("2026-11-02T01:00:00Z", { class: "batch", adapter: "sql", api: "/v1/messages" });
    const { data } = await list("?limit=1&group_by=batch,api,adapter");
    expect(data[0]?.results).toMatchObject([{ batch: true, api: "/v1/messages", adapter: "sql" }]);
  });

  it("ends with the current bucket, and has as many as a page by default", async () => {
    const { list } = await serve();
    const spans = await Promise.all(
      ["1h", "1d", "1mo"].map(async (width) => {
        const { data } = await list(`?bucket_width=${width}`);
        return [data.length, data[0]?.start_time, data.at(-1)?.end_time];
      }),
    );
    expect(spans).toEqual([
      [24, seconds("2026-11-01T13:00:00Z"), seconds("2026-11-02T13:00:00Z")],
      [7, seconds("2026-10-27"), seconds("2026-11-03")],
      [12, seconds("2025-12-01"), seconds("2026-12-01")],
    ]);
  });

  it("has pages that together have each bucket once", async () => {
    const { list } = await serve();
    const starts: number[] = [];
    let page = "";
    for (let pages = 0; pages < 20; pages++) {
      const { data, next_page, has_more } = await list(
        `?start_time=${seconds("2026-10-20")}&limit=4${page}`,
      );
      starts.push(...data.map(({ start_time }) => start_time));
      expect(has_more).toBe(next_page !== null);
      if (next_page === null) break;
      page = `&page=${next_page}`;
    }
    const expected = Array.from({ length: 14 }, (_, day) => seconds("2026-10-20") + day * 86_400);
    expect(starts).toEqual(expected);
  });

  it("shows a key its own usage, and one with the scope admin that of all", async () => {
    const { get, addAt } = await serve();
    addAt("2026-11-02T01:00:00Z");
    addAt("2026-11-02T01:00:00Z", { key: "bob" });
    const keysSeenBy = async (headers: Record<string, string>) => {
      const { data } = (await get("?limit=1&group_by=key", headers)).json<UsageList>();
      return data[0]?.results.map(({ api_key_id }) => api_key_id);
    };
    expect(await keysSeenBy(alice)).toEqual(["alice"]);
    expect(await keysSeenBy({})).toEqual(["alice", "bob"]);
    const csv = await get("?limit=1&group_by=key&format=csv", alice);
    expect(csv.body).not.toContain("bob");
  });

  it("shows all usage on a server without keys", async () => {
    const { list, addAt } = await serve({ keys: [] });
    addAt("2026-11-02T01:00:00Z", { key: "" });
    addAt("2026-11-02T01:00:00Z", { key: "alice" });
    const { data } = await list("?limit=1&group_by=key");
    expect(data[0]?.results.map(({ api_key_id }) => api_key_id)).toEqual(["", "alice"]);
  });

  it.each([
    ["?format=csv", {}],
    ["?", { accept: "text/csv" }],
  ])("sends CSV on request: %s %j", async (query, headers) => {
    const { get, addAt } = await serve();
    addAt("2026-10-30T01:00:00Z", { key: 'a,"b"\nc', engineMs: 1234 });
    addAt("2026-11-02T01:00:00Z", { adapter: "a,b" });
    const response = await get(`${query}&group_by=key,adapter`, headers);
    expect(response.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(response.body).toBe(
      [
        "start_time,end_time,key,adapter,num_model_requests,input_tokens,input_cached_tokens,output_tokens,images,audio_seconds,engine_seconds",
        '2026-10-30T00:00:00Z,2026-10-31T00:00:00Z,"a,""b""\nc",,1,10,0,3,0,0,1.234',
        '2026-11-02T00:00:00Z,2026-11-03T00:00:00Z,alice,"a,b",1,10,0,3,0,0,0',
        "",
      ].join("\r\n"),
    );
  });

  it("sends JSON if the query says so, whatever the client accepts", async () => {
    const { get } = await serve();
    const response = await get("?format=json", { accept: "text/csv" });
    expect(response.headers["content-type"]).toContain("application/json");
  });

  it.each([
    [
      "?start_time=yesterday",
      'start_time: expected an integer from 0 to 253402300799, got "yesterday".',
    ],
    ["?bucket_width=1w", 'bucket_width: expected one of 1h, 1d, 1mo, got "1w".'],
    [
      "?group_by=user",
      'group_by: expected one or more of key, model, adapter, api, class, api_key_id, batch, got "user".',
    ],
    ["?group_by=", "group_by: expected one or more of"],
    ["?limit=0", 'limit: expected an integer from 1 to 366, got "0".'],
    [
      "?limit=169&bucket_width=1h",
      "limit: expected an integer from 1 to 168 with buckets of 1h, got 169.",
    ],
    [
      `?start_time=${seconds("2026-11-03")}`,
      "start_time: expected a time before end_time, and before the current time of the server, got",
    ],
    [
      `?start_time=${seconds("2026-11-02")}&end_time=${seconds("2026-11-01")}`,
      "start_time: expected a time before",
    ],
    ["?page=2", 'page: expected the next_page of a page with the same interval, got "2".'],
    [`?page=page_${seconds("2026-01-01")}`, "page: expected the next_page"],
    [`?page=page_${seconds("2026-11-02T01:00:00Z")}`, "page: expected the next_page"],
    [
      `?start_time=${seconds("2025-01-01")}&format=csv`,
      "start_time: expected a time at most 366 buckets of 1d before the end, because CSV has no pages, got",
    ],
    ["?format=xml", 'format: expected one of json, csv, got "xml".'],
    ["?models=mini", "models"],
  ])("refuses %s", async (query, message) => {
    const { get } = await serve();
    const response = await get(query);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({ code: "invalid_request" });
    expect(response.json().error.message).toContain(message);
  });

  it("is refused by a server that keeps no usage", async () => {
    const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })));
    onTestFinished(() => app.close());
    const response = await app.inject({ url: "/v1/usage" });
    expect(response.statusCode).toBe(501);
    expect(response.json().error).toMatchObject({
      code: "unsupported_operation",
      message: "This server keeps no usage: --usage is none. Start it with --usage FOLDER.",
    });
  });
});
