import { readFile } from "node:fs/promises";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { ADMIN_LINE, openManagedKeys } from "../../support/managed-keys.js";
import { deferred, type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

const NEVER_USED = { last_used_at: null, expires_at: null, previous_value_expires_at: null };
const NOT_LIMITED = {
  ...{ requests_per_minute: null, tokens_per_minute: null, concurrent: null, group: null },
  ...{ requests_per_day: null, requests_per_month: null },
  ...{ tokens_per_day: null, tokens_per_month: null, max_context: null, max_tokens: null },
  ...{ models: null, adapters: null, priority_ceiling: null, log_content: null },
};

async function open(
  keyLines?: readonly string[],
  options: TestAppOptions = {},
  script: () => Script = () => ({ parts: ["ok"] }),
) {
  const managedKeys = await openManagedKeys(keyLines);
  const engine = new ScriptedEngine(script);
  const { app } = buildTestApp(engine, { managedKeys, ...options });
  onTestFinished(() => app.close());
  const ask = (
    method: "GET" | "POST" | "PATCH" | "DELETE",
    url: string,
    payload?: object,
    key = "root-key",
  ) =>
    app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${key}` },
      ...(payload !== undefined && { payload }),
    });
  /** Creates a key. @returns its value */
  const create = async (payload: object): Promise<string> => {
    const response = await ask("POST", "/v1/keys", payload);
    expect(response.statusCode).toBe(200);
    return response.json().value;
  };
  const statusWith = async (key: string) =>
    (await ask("GET", "/v1/models", undefined, key)).statusCode;
  return { ...managedKeys, app, ask, create, statusWith };
}

const errorOf = (response: { json: () => { error: object } }) => response.json().error;
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

describe("POST /v1/keys", () => {
  it("creates a key that is accepted at once, with its attributes", async () => {
    const { ask, create, statusWith } = await open();
    const created = await ask("POST", "/v1/keys", {
      name: "alice",
      scopes: ["inference", "todos"],
      access: "read-only",
      requests_per_minute: 60,
      concurrent: 4,
      weight: 0.5,
    });
    const { value, ...key } = created.json();
    expect(value).toMatch(/^ggufd_[\w-]{43}$/);
    expect(key).toEqual({
      ...{ id: "alice", object: "api_key", name: "alice", source: "store", created_by: "root" },
      ...{ redacted_value: `ggufd_...${value.slice(-4)}`, created_at: expect.any(Number) },
      ...{ ...NEVER_USED, disabled: false, scopes: ["inference", "todos"], access: "read-only" },
      ...{ ...NOT_LIMITED, requests_per_minute: 60, concurrent: 4, weight: 0.5 },
    });
    expect(await statusWith(value)).toBe(200);
    expect((await ask("POST", "/v1/chat/completions", {}, value)).statusCode).toBe(403);
    const presented = (await ask("GET", "/v1/key", undefined, value)).json();
    expect(presented).toMatchObject({ name: "alice", access: "read-only" });
    expect(await create({ name: "bob", expires_at: null, scopes: null })).not.toBe(value);
  });

  it("applies budgets, groups and rights of models", async () => {
    const { ask } = await open([ADMIN_LINE, "group:team requests-per-day=1"]);
    const attributes = {
      ...{ group: "team", tokens_per_day: 1000, models: ["sc*"], adapters: [] },
      ...{ max_context: 100, max_tokens: 10, priority_ceiling: -1, log_content: "off" },
    };
    const created = (await ask("POST", "/v1/keys", { name: "alice", ...attributes })).json();
    expect(created).toMatchObject(attributes);
    const presented = (await ask("GET", "/v1/key", undefined, created.value)).json();
    expect(presented).toMatchObject({ group: "team", models: ["sc*"], adapters: [] });
    const chat = (fields: object) =>
      ask(
        "POST",
        "/v1/chat/completions",
        { messages: [{ role: "user", content: "Hi" }], ...fields },
        created.value,
      );
    expect((await chat({ model: "other" })).statusCode).toBe(404);
    expect((await chat({})).statusCode).toBe(200);
    expect(errorOf(await chat({}))).toMatchObject({ code: "insufficient_quota" });
    await ask("PATCH", "/v1/keys/alice", { group: null });
    expect((await chat({})).statusCode).toBe(200);
  });

  it("refuses a budget that no stored usage can count", async () => {
    const { ask, budgets } = await open();
    budgets.countFrom({ is: "disabled", because: "--usage is none" });
    const response = await ask("POST", "/v1/keys", { name: "alice", tokens_per_day: 5 });
    expect(response.statusCode).toBe(400);
    expect(errorOf(response)).toMatchObject({
      param: "tokens_per_day",
      message:
        "tokens_per_day: a budget needs stored usage, and there is none: --usage is none; set --usage to a folder.",
    });
  });

  it.each<[object, string, string]>([
    [{}, "name", "expected 1 to 64 letters, digits, -, _, . or @, a letter or digit first, got "],
    [{ name: "a b" }, "name", 'a letter or digit first, got "a b"'],
    [{ scopes: ["inference", "root"] }, "scopes.1", "expected one of inference, batches, "],
    [{ scopes: [] }, "scopes", "expected one or more of inference, batches, "],
    [{ scopes: ["todos", "todos"] }, "scopes", "expected one or more of inference, batches, "],
    [{ scopes: "inference" }, "scopes", 'got "inference"'],
    [{ access: "write" }, "access", "expected one of full, read-only"],
    [{ requests_per_minute: 0 }, "requests_per_minute", "expected an integer from 1 to 1000000"],
    [{ requests_per_minute: "60" }, "requests_per_minute", "expected an integer from 1 to "],
    [{ weight: 101 }, "weight", "expected a number from 0.01 to 100, got 101"],
    [{ group: "none" }, "group", "expected a group of the key file (a line group:NAME "],
    [{ group: "" }, "group", "expected 1 to 64 letters, digits, "],
    [{ tokens_per_day: 0.5 }, "tokens_per_day", "expected an integer from 1 to 1000000000000"],
    [{ models: [] }, "models", "expected 1 to 100 names or patterns with *"],
    [{ models: ["a,b"] }, "models.0", "expected a name of 1 to 200 characters without spaces "],
    [{ adapters: "none" }, "adapters", "expected 1 to 100 names or patterns with *"],
    [{ max_context: 0 }, "max_context", "expected an integer from 1 to 1000000000, got 0"],
    [{ priority_ceiling: 1.5 }, "priority_ceiling", "expected an integer from -"],
    [{ log_content: true }, "log_content", "expected one of on, off"],
    [{ scope: ["todos"] }, "scope", "expected no such field"],
    [{ "requests-per-minute": 60 }, "requests-per-minute", "expected no such field"],
    [
      { expires_at: 5 },
      "expires_at",
      "expected a time in the future, in seconds since 1970, got 5",
    ],
    [{ expires_at: "2030-01-01" }, "expires_at", "expected an integer from 0 to 253402300799"],
  ])("names the invalid field: %j", async (fields, param, reason) => {
    const { ask, store } = await open();
    const body = Object.keys(fields).length === 0 ? {} : { name: "alice", ...fields };
    const response = await ask("POST", "/v1/keys", body);
    expect(response.statusCode).toBe(400);
    expect(errorOf(response)).toMatchObject({ code: "invalid_request", param });
    expect(response.json().error.message).toContain(reason);
    expect(store.keys).toEqual([]);
  });

  it.each(["root", "alice"])("refuses the name of another key: %s", async (name) => {
    const { ask, create } = await open();
    await create({ name: "alice" });
    const response = await ask("POST", "/v1/keys", { name });
    expect(response.statusCode).toBe(409);
    expect(errorOf(response)).toMatchObject({
      code: "key_conflict",
      param: "name",
      message: `name: expected a name that no other key has, got "${name}".`,
    });
  });

  it("accepts a key until it expires", async () => {
    const { ask, create, ring, statusWith } = await open();
    const value = await create({ name: "alice", expires_at: inSeconds(3600) });
    expect(await statusWith(value)).toBe(200);
    const usage = ring.findByName("alice");
    if (usage === undefined) throw new Error("expected a key");
    usage.setAvailability({ state: "enabled", expiresAt: 1000 });
    const response = await ask("GET", "/v1/models", undefined, value);
    expect(response.statusCode).toBe(401);
    expect(errorOf(response)).toMatchObject({
      code: "invalid_api_key",
      message: "The API key alice expired at 1970-01-01T00:00:01.000Z.",
    });
  });
});

describe("GET /v1/keys", () => {
  it("lists keys of flags, the key file and the store, in pages", async () => {
    const { ask, create } = await open(["root-key name=root", "b-key name=b weight=2"]);
    await create({ name: "alice" });
    await create({ name: "carol" });
    const first = (await ask("GET", "/v1/keys?limit=3")).json();
    expect(first).toMatchObject({
      object: "list",
      has_more: true,
      first_id: "root",
      last_id: "alice",
      data: [
        { id: "root", source: "file", redacted_value: null, created_at: null },
        { id: "b", source: "file", weight: 2, disabled: false },
        { id: "alice", source: "store", created_by: "root" },
      ],
    });
    expect(first.data[0].last_used_at).toBeGreaterThan(1_700_000_000);
    const second = (await ask("GET", "/v1/keys?limit=3&after=alice")).json();
    expect(second).toMatchObject({ has_more: false, data: [{ id: "carol" }] });
  });

  it("never shows a value or a hash", async () => {
    const { ask, create, store } = await open();
    const value = await create({ name: "alice" });
    const [key] = store.keys;
    for (const url of ["/v1/keys", "/v1/keys/alice", "/v1/audit"]) {
      const { body } = await ask("GET", url);
      expect(body).toContain("alice");
      expect(body).not.toContain(value);
      expect(body).not.toContain(key?.sha256.slice(0, 8));
    }
  });

  it.each(["/v1/keys?after=none", "/v1/keys?limit=0", "/v1/audit?after=0", "/v1/audit?limit=x"])(
    "refuses invalid parameters: %s",
    async (url) => {
      const { ask } = await open();
      expect((await ask("GET", url)).statusCode).toBe(400);
    },
  );

  it("lists the keys of a server without a key store, which cannot be changed", async () => {
    const engine = new ScriptedEngine(() => ({ parts: [] }));
    const { app } = buildTestApp(engine, { apiKeys: ["a"], keyLines: ["b name=bob"] });
    onTestFinished(() => app.close());
    const headers = { "x-api-key": "a" };
    const listed = (await app.inject({ url: "/v1/keys", headers })).json();
    expect(listed.data).toMatchObject([{ source: "flag" }, { id: "bob", source: "flag" }]);
    for (const [method, url] of [
      ["POST", "/v1/keys"],
      ["PATCH", "/v1/keys/bob"],
      ["POST", "/v1/keys/bob/rotate"],
      ["DELETE", "/v1/keys/bob"],
      ["GET", "/v1/audit"],
    ] as const) {
      const response = await app.inject({ method, url, headers, payload: {} });
      expect(response.statusCode).toBe(501);
      expect(response.json().error.message).toContain("--key-store PATH");
    }
  });
});

describe("PATCH /v1/keys/{id}", () => {
  it("disables and enables a key at once", async () => {
    const { ask, create, statusWith } = await open();
    const value = await create({ name: "alice" });
    const disabled = await ask("PATCH", "/v1/keys/alice", { disabled: true });
    expect(disabled.json()).toMatchObject({ id: "alice", disabled: true });
    const refused = await ask("GET", "/v1/models", undefined, value);
    expect([refused.statusCode, refused.json().error.message]).toEqual([
      401,
      "The API key alice is disabled.",
    ]);
    await ask("PATCH", "/v1/keys/alice", { disabled: false });
    expect(await statusWith(value)).toBe(200);
  });

  it("changes given attributes, and restores defaults for null", async () => {
    const { ask, create } = await open();
    await create({ name: "alice", scopes: ["todos"], concurrent: 4, expires_at: inSeconds(60) });
    const change = { scopes: null, requests_per_minute: 5, expires_at: null };
    expect((await ask("PATCH", "/v1/keys/alice", change)).json()).toMatchObject({
      ...{ scopes: ["inference", "batches", "tools", "todos", "admin"], concurrent: 4 },
      ...{ requests_per_minute: 5, expires_at: null },
    });
  });

  it("does not stop requests in flight", async () => {
    const [started, gate] = [deferred(), deferred()];
    const before = () => {
      started.resolve();
      return gate.promise;
    };
    const { ask, create } = await open(undefined, {}, () => ({ parts: ["ok"], before }));
    const value = await create({ name: "alice" });
    const body = { messages: [{ role: "user", content: "Hi" }] };
    const answer = ask("POST", "/v1/chat/completions", body, value);
    await started.promise;
    await ask("PATCH", "/v1/keys/alice", { disabled: true });
    gate.resolve();
    expect((await answer).statusCode).toBe(200);
    expect((await ask("POST", "/v1/chat/completions", body, value)).statusCode).toBe(401);
  });

  it.each<[object, string, string]>([
    [{ disabled: "yes" }, "disabled", 'expected true or false, got "yes"'],
    [{ name: "bob" }, "name", "expected no such field"],
    [{ weight: 0 }, "weight", "expected a number from 0.01 to 100, got 0"],
    [{ expires_at: 1 }, "expires_at", "expected a time in the future"],
  ])("names the invalid field: %j", async (body, param, reason) => {
    const { ask, create } = await open();
    await create({ name: "alice" });
    const response = await ask("PATCH", "/v1/keys/alice", body);
    expect(response.statusCode).toBe(400);
    expect(errorOf(response)).toMatchObject({ param });
    expect(response.json().error.message).toContain(reason);
  });
});

describe("POST /v1/keys/{id}/rotate", () => {
  it("replaces the value; the previous one is accepted during the grace period", async () => {
    const { ask, create, statusWith, ring } = await open();
    const old = await create({ name: "alice", requests_per_minute: 100 });
    const rotated = await ask("POST", "/v1/keys/alice/rotate", { grace_seconds: 60 });
    const { value, previous_value_expires_at: until } = rotated.json();
    expect(until).toBeGreaterThanOrEqual(inSeconds(58));
    expect([await statusWith(old), await statusWith(value)]).toEqual([200, 200]);
    expect(ring.find(old)).toBe(ring.find(value));
  });

  it("ends the previous value at once by default", async () => {
    const { ask, create, statusWith } = await open();
    const old = await create({ name: "alice" });
    const { value, previous_value_expires_at: until } = (
      await ask("POST", "/v1/keys/alice/rotate", {})
    ).json();
    expect(until).toBeNull();
    expect([await statusWith(old), await statusWith(value)]).toEqual([401, 200]);
  });

  it("refuses an invalid grace period", async () => {
    const { ask, create } = await open();
    await create({ name: "alice" });
    const response = await ask("POST", "/v1/keys/alice/rotate", { grace_seconds: -1 });
    expect(errorOf(response)).toMatchObject({
      message: "grace_seconds: expected an integer from 0 to 31536000, got -1.",
    });
  });
});

describe("DELETE /v1/keys/{id}", () => {
  it("refuses the key at once", async () => {
    const { ask, create, statusWith } = await open();
    const value = await create({ name: "alice" });
    expect((await ask("DELETE", "/v1/keys/alice")).json()).toEqual({
      ...{ id: "alice", object: "api_key.deleted", deleted: true },
    });
    expect(await statusWith(value)).toBe(401);
    expect((await ask("GET", "/v1/keys/alice")).statusCode).toBe(404);
  });

  it("keeps the last key that may manage keys", async () => {
    const { ask, create, store, ring } = await open();
    const value = await create({ name: "admin" });
    ring.replace([]);
    const response = await ask("DELETE", "/v1/keys/admin", undefined, value);
    expect(response.statusCode).toBe(409);
    expect(response.json().error.message).toContain("The API key admin is the last one");
    expect(store.keys).toHaveLength(1);
  });
});

const changes = [
  ["PATCH", "/v1/keys/NAME", { disabled: true }],
  ["POST", "/v1/keys/NAME/rotate", {}],
  ["DELETE", "/v1/keys/NAME", undefined],
] as const;

describe("changes of keys", () => {
  it.each(changes)("are refused for keys of the configuration: %s %s", async (...change) => {
    const [method, url, body] = change;
    const { ask } = await open();
    const response = await ask(method, url.replace("NAME", "root"), body);
    expect(response.statusCode).toBe(409);
    expect(errorOf(response)).toMatchObject({
      code: "key_conflict",
      message: "The API key root is defined by --api-key-file keys: line 1: change it there.",
    });
  });

  it.each(changes)("are refused for unknown keys: %s %s", async (method, url, body) => {
    const { ask } = await open();
    const response = await ask(method, url.replace("NAME", "none"), body);
    expect([response.statusCode, response.json().error.message]).toEqual([
      404,
      'No API key has the name "none".',
    ]);
  });

  it("are durable before they are answered, without the value", async () => {
    const { create, path } = await open();
    const value = await create({ name: "alice" });
    const text = await readFile(path, "utf8");
    expect(text).toContain('"name":"alice"');
    expect(text).not.toContain(value);
  });

  it("are logged without values and hashes", async () => {
    const lines: string[] = [];
    const logger = pino({ level: "trace" }, { write: (line) => lines.push(line) });
    const { ask, create, store } = await open(undefined, { logger });
    const first = await create({ name: "alice" });
    const { value } = (await ask("POST", "/v1/keys/alice/rotate", {})).json();
    const hashes = store.log.flatMap(({ after }) => after?.sha256 ?? []);
    const log = lines.join("");
    expect(log).toContain("/v1/keys/alice/rotate");
    for (const secret of [first, value, ...hashes]) expect(log).not.toContain(secret);
  });
});

describe("GET /v1/audit", () => {
  it("lists who changed what, latest first, in pages", async () => {
    const { ask, create } = await open();
    const admin = await create({ name: "admin" });
    await ask("POST", "/v1/keys", { name: "alice", concurrent: 1 }, admin);
    await ask("PATCH", "/v1/keys/alice", { concurrent: null, weight: 2 }, admin);
    await ask("POST", "/v1/keys/alice/rotate", {}, admin);
    await ask("DELETE", "/v1/keys/alice", undefined, admin);
    const { data, has_more } = (await ask("GET", "/v1/audit?limit=4")).json();
    const actor = { name: "admin", ip_address: "127.0.0.1" };
    expect(has_more).toBe(true);
    expect(data).toMatchObject([
      { id: "5", type: "api_key.deleted", key: "alice", actor, before: { weight: 2 }, after: null },
      { id: "4", type: "api_key.rotated", before: {}, after: {} },
      { id: "3", type: "api_key.updated", before: { concurrent: 1 }, after: { weight: 2 } },
      { id: "2", type: "api_key.created", before: null, after: { concurrent: 1 } },
    ]);
    expect(Object.keys(data[1].after)).toEqual(["redacted_value"]);
    expect(Object.keys(data[2].before)).toEqual(["concurrent"]);
    const older = (await ask("GET", "/v1/audit?after=2")).json();
    expect(older.data).toMatchObject([{ id: "1", key: "admin", actor: { name: "root" } }]);
  });

  it("has no entry for a refused change", async () => {
    const { ask } = await open();
    await ask("POST", "/v1/keys", { name: "root" });
    await ask("DELETE", "/v1/keys/root");
    expect((await ask("GET", "/v1/audit")).json().data).toEqual([]);
  });
});

describe("the key store", () => {
  it("locks a server whose configuration has no key", async () => {
    const { app, ring } = await open();
    ring.replace([]);
    const payload = { name: "mallory" };
    for (const headers of [{}, { authorization: "Bearer root-key" }]) {
      const response = await app.inject({ method: "POST", url: "/v1/keys", headers, payload });
      expect(response.statusCode).toBe(401);
    }
  });
});
