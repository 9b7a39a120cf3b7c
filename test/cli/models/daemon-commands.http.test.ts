import { describe, expect, it, test } from "vitest";
import { runLoad, runUnload } from "../../../src/cli/models/load-command.js";
import { describeUses, type ModelUse, runPs } from "../../../src/cli/models/ps-command.js";
import { runApp } from "../../support/running-app.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { jsonAnswer, refusalAnswer, startStandIn } from "../daemon/stand-in.js";

const quiet = { terminal: { isTTY: true, write: () => undefined }, wait: async () => undefined };
const at = (url: string) => ({ selection: "named", url }) as const;

/** A daemon that reports these model states in sequence, and then repeats the last one. */
function daemonOf(states: readonly object[], refusal?: ReturnType<typeof refusalAnswer>) {
  const left = [...states];
  return startStandIn((asked, body) => {
    if (asked.startsWith("POST")) {
      expect(body).toEqual({ model: "user/m:Q4" });
      return refusal ?? jsonAnswer({ success: true });
    }
    const status = left.length > 1 ? left.shift() : left[0];
    return jsonAnswer({ id: "user/m:Q4", status });
  });
}

describe("load", () => {
  it("waits until the model is loaded, and prints the name that the daemon uses", async () => {
    const states = [
      { value: "unloaded" },
      { value: "loading", progress: 0 },
      { value: "loading", progress: 0.5 },
      { value: "loaded" },
    ];
    const { url, asked } = await daemonOf(states);
    expect(await runLoad({ model: "user/m", daemon: at(url) }, quiet)).toBe("user/m:Q4: loaded\n");
    expect(asked.slice(0, 3)).toEqual([
      ...["GET /v1/models/user%2Fm", "POST /models/load", "GET /v1/models/user%2Fm%3AQ4"],
    ]);
  });

  it("does nothing if the model is loaded", async () => {
    const { url, asked } = await daemonOf([{ value: "loaded" }]);
    const told = await runLoad({ model: "user/m", daemon: at(url) }, quiet);
    expect(told).toBe("user/m:Q4: already loaded\n");
    expect(asked).toHaveLength(1);
  });

  it("reports a model that fails to load", async () => {
    const states = [
      { value: "unloaded" },
      { value: "loading" },
      { value: "unloaded", failed: true },
    ];
    const { url } = await daemonOf(states);
    await expect(runLoad({ model: "user/m", daemon: at(url) }, quiet)).rejects.toThrow(
      "user/m:Q4 was not loaded: loading failed",
    );
  });

  it("reports why the daemon refuses", async () => {
    const refusal = refusalAnswer(400, "invalid_request", "It does not fit.");
    const { url } = await daemonOf([{ value: "unloaded" }], refusal);
    await expect(runLoad({ model: "user/m", daemon: at(url) }, quiet)).rejects.toThrow(
      "It does not fit.",
    );
  });
});

describe("unload", () => {
  test.each([
    [[{ value: "loaded" }, { value: "unloading" }, { value: "unloaded" }], "unloaded"],
    [[{ value: "loaded" }, { value: "loaded" }], "unloaded, then loaded again by a request"],
    [[{ value: "unloaded" }], "not loaded"],
  ])("of a model that is %j reports that it is %s", async (states, told) => {
    const { url } = await daemonOf(states);
    expect(await runUnload({ model: "user/m", daemon: at(url) }, quiet)).toBe(
      `user/m:Q4: ${told}\n`,
    );
  });
});

describe("ps", () => {
  it("lists the models of the daemon", async () => {
    const engine = new ScriptedEngine(() => ({ parts: [] }));
    const { url, close } = await runApp(engine, { apiKeys: ["secret"] });
    const daemon = { ...at(url), apiKey: "secret" };
    try {
      const use: ModelUse = {
        ...{ name: "scripted", state: "loaded", progress: null, sizeBytes: 2_000_000 },
        ...{ replicas: null, slots: 2, contextSize: 100, expiresAt: null },
      };
      expect(JSON.parse(await runPs({ daemon, output: "json" }))).toEqual({ models: [use] });
      expect(await runPs({ daemon, output: "text" })).toMatch(
        /^scripted +loaded +2\.0 MB +2 +100 +never$/m,
      );
      await expect(runPs({ daemon: at(url), output: "text" })).rejects.toThrow(
        "requires an API key: set --api-key or GGUFD_API_KEY",
      );
    } finally {
      await close();
    }
  });

  it("shows how many replicas of a model run, if a model has several", () => {
    const use = {
      state: "loaded",
      progress: null,
      sizeBytes: 2_000_000,
      contextSize: 100,
    } as const;
    const loaded = { ...use, slots: 8, expiresAt: null };
    const uses: readonly ModelUse[] = [
      { ...loaded, name: "one", replicas: null },
      { ...loaded, name: "all", replicas: { total: 4, running: 4 } },
      { ...loaded, name: "some", replicas: { total: 4, running: 3 } },
    ];
    const rows = describeUses(uses, 0).trimEnd().split("\n");
    expect(rows.map((row) => row.trimEnd().split(/ {2,}/))).toEqual([
      ["name", "state", "size", "replicas", "slots", "context", "expires"],
      ["one", "loaded", "2.0 MB", "8", "100", "never"],
      ["all", "loaded", "2.0 MB", "4", "8", "100", "never"],
      ["some", "loaded", "2.0 MB", "3 of 4", "8", "100", "never"],
    ]);
  });

  it("prints the progress of a starting daemon", async () => {
    const { url } = await startStandIn((asked) => {
      if (asked === "GET /health") {
        return jsonAnswer({ status: "loading model", progress: 0.429 }, 503);
      }
      if (asked === "GET /api/ps") return jsonAnswer({ models: [] });
      return refusalAnswer(503, "model_loading", "The model `a` is still loading.");
    });
    expect(await runPs({ daemon: at(url), output: "text" })).toBe(
      "The daemon is starting: 42 % of its models are loaded.\n",
    );
    expect(JSON.parse(await runPs({ daemon: at(url), output: "json" }))).toEqual({
      models: [],
      starting: { progress: 0.429 },
    });
  });

  it("lists models from all pages, with their expiry times", async () => {
    const { url } = await startStandIn((asked) => {
      if (asked === "GET /api/ps") {
        const expires_at = new Date(Date.now() + 600_000).toISOString();
        return jsonAnswer({ models: [{ name: "b:latest", expires_at }] });
      }
      const isSecond = asked.endsWith("cursor=next");
      return jsonAnswer({
        data: [{ id: isSecond ? "b" : "a", status: { value: "loaded" } }],
        pagination: { next_cursor: isSecond ? null : "next" },
      });
    });
    const { models } = JSON.parse(await runPs({ daemon: at(url), output: "json" }));
    expect(models).toMatchObject([
      { name: "a", expiresAt: null },
      { name: "b", expiresAt: expect.any(String) },
    ]);
  });

  it("prints a table without control characters from model names", () => {
    const unknown = { progress: null, sizeBytes: null, slots: null, contextSize: null };
    const none = { ...unknown, replicas: null };
    const loaded = { ...none, state: "loaded", sizeBytes: 4.9e9, slots: 4, contextSize: 8192 };
    const uses: readonly ModelUse[] = [
      { ...loaded, name: "qwen3", expiresAt: "2026-01-01T00:04:30Z" },
      { ...none, name: "l\u001b[2Jarge", state: "loading", progress: 0.426, expiresAt: null },
      { ...none, name: "other", state: "unloaded", expiresAt: null },
    ];
    expect(describeUses(uses, Date.parse("2026-01-01T00:00:00Z"))).toBe(
      [
        "name      state         size    slots  context  expires",
        "qwen3     loaded        4.9 GB  4      8192     in 4 min 30 s",
        "l[2Jarge  loading 42 %",
        "other     unloaded",
        "",
      ].join("\n"),
    );
    expect(describeUses([], 0)).toBe("The daemon has no models.\n");
  });
});
