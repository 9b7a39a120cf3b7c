import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFirstKey } from "../../../src/cli/keys/create-first-key.js";
import { type ManageKeysArguments, runManageKeys } from "../../../src/cli/keys/manage-keys.js";
import { openKeysAt, openManagedKeys } from "../../support/managed-keys.js";
import { runApp } from "../../support/running-app.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

type Command = ManageKeysArguments extends infer Arguments
  ? Arguments extends unknown
    ? Omit<Arguments, "daemon" | "output">
    : never
  : never;

/** Starts a daemon. @returns runs a command with the key of its administrator */
async function start(apiKey = "root-key") {
  const managedKeys = await openManagedKeys();
  const engine = new ScriptedEngine(() => ({ parts: ["ok"] }));
  const { url, close } = await runApp(engine, { managedKeys });
  onTestFinished(close);
  const daemon = { selection: "named", url, apiKey } as const;
  const run = (command: Command, output: "text" | "json" = "text") =>
    runManageKeys({ ...command, daemon, output } as ManageKeysArguments);
  return { run, ring: managedKeys.ring, store: managedKeys.store };
}

describe("ggufd keys", () => {
  it("prints a new key alone on standard output, and creates it with its attributes", async () => {
    const { run, ring } = await start();
    const attributes = { scopes: "inference,todos", "requests-per-minute": "60" };
    const expires = Date.UTC(2100, 0, 1) / 1000;
    const created = await run({ action: "create", name: "alice", attributes, expires });
    expect(created.text).toMatch(/^ggufd_[\w-]{43}\n$/);
    expect(created.notice).toBe("Created alice. The key is not shown again.\n");
    expect(ring.find(created.text.trim())?.key).toMatchObject({
      ...{ name: "alice", scopes: ["inference", "todos"], limits: { requestsPerMinute: 60 } },
    });
    const { text } = await run({ action: "list" });
    expect(text).toMatch(/^name +source +state +scopes +access +created +used +expires\n/);
    expect(text).toMatch(
      /\nalice +store +enabled +inference,todos +full .* 2100-01-01T00:00:00Z\n/,
    );
    expect(text).toMatch(/\nroot +file +enabled +inference,batches,tools,todos,admin +full /);
  });

  it("changes, rotates, disables, enables and deletes a key", async () => {
    const { run, ring } = await start();
    const none = { attributes: {}, expires: undefined };
    const { text: old } = await run({ action: "create", name: "alice", ...none });
    const change = { attributes: { weight: "2" }, expires: undefined };
    expect((await run({ action: "update", name: "alice", ...change })).text).toBe(
      "alice: enabled\n",
    );
    const rotated = await run({ action: "rotate", name: "alice", graceSeconds: 60 });
    expect(rotated.notice).toBe("Rotated alice. The new key is not shown again.\n");
    expect(ring.find(rotated.text.trim())?.key.weight).toBe(2);
    expect(ring.find(old.trim())).toBe(ring.find(rotated.text.trim()));
    expect((await run({ action: "disable", name: "alice" })).text).toBe("alice: disabled\n");
    expect((await run({ action: "enable", name: "alice" })).text).toBe("alice: enabled\n");
    expect((await run({ action: "delete", name: "alice" })).text).toBe("alice: deleted\n");
    expect(ring.findByName("alice")).toBeUndefined();
    const { text } = await run({ action: "audit" });
    const lines = text.trim().split("\n");
    expect(lines[0]).toMatch(/^time +by +from +change +key +settings$/);
    expect(lines[1]).toMatch(/^\S+ +root +127.0.0.1 +deleted +alice +redacted_value: /);
    expect(lines).toContainEqual(expect.stringMatching(/ updated +alice +weight: 2$/));
    expect(lines).toContainEqual(expect.stringMatching(/ disabled: false → true$/));
  });

  it("prints JSON", async () => {
    const { run } = await start();
    const none = { attributes: {}, expires: undefined };
    const created = await run({ action: "create", name: "alice", ...none }, "json");
    expect(JSON.parse(created.text)).toMatchObject({ id: "alice", value: expect.any(String) });
    expect(created.notice).toBeUndefined();
    expect(JSON.parse((await run({ action: "list" }, "json")).text).keys).toHaveLength(2);
    expect(JSON.parse((await run({ action: "audit" }, "json")).text).entries).toHaveLength(1);
  });

  it("reads lists of several pages", async () => {
    const { run, store } = await start();
    const value = { sha256: "0".repeat(64), ending: "" };
    const keys = Array.from({ length: 150 }, (_, index) => ({ name: `key-${index}`, value }));
    await Promise.all(
      keys.map((key) =>
        store.create({ ...key, attributes: {}, expiresAt: undefined }, { by: "a" }),
      ),
    );
    expect(JSON.parse((await run({ action: "list" }, "json")).text).keys).toHaveLength(151);
    expect(JSON.parse((await run({ action: "audit" }, "json")).text).entries).toHaveLength(150);
  });

  it("says that nothing was changed yet", async () => {
    const { run } = await start();
    expect((await run({ action: "audit" })).text).toBe("No API key was changed yet.\n");
  });

  it("names an invalid attribute before it asks the daemon", async () => {
    const { run } = await start();
    const command = { action: "create", name: "alice", expires: undefined } as const;
    await expect(run({ ...command, attributes: { weight: "0" } })).rejects.toThrow(
      '--weight: expected a number from 0.01 to 100, got "0"',
    );
  });

  it("prints the refusal of the daemon", async () => {
    const { run } = await start();
    await expect(run({ action: "delete", name: "root" })).rejects.toThrow(
      "The API key root is defined by --api-key-file keys: line 1: change it there.",
    );
    const { run: withWrongKey } = await start("wrong");
    await expect(withWrongKey({ action: "list" })).rejects.toThrow("rejected this API key");
  });
});

describe("ggufd keys create --key-store", () => {
  const none = { attributes: { scopes: "admin" }, expires: undefined };
  const newPath = async () => join(await temporaryFolder(), "keys.jsonl");

  it("creates the first key, without which a daemon does not start", async () => {
    const path = await newPath();
    await expect(openKeysAt(path, [])).rejects.toThrow(
      `--key-store ${path}: expected a key with the scope admin and full access, got none. Create one: ggufd keys create admin --key-store ${path}`,
    );
    const { text, notice } = await createFirstKey({ path, name: "admin", ...none });
    expect(notice).toBe(`Created admin in ${path}. The key is not shown again.\n`);
    const { ring, store } = await openKeysAt(path, []);
    onTestFinished(() => store.close());
    expect(ring.find(text.trim())?.key).toMatchObject({ name: "admin", scopes: ["admin"] });
    expect(store.log).toMatchObject([{ by: "ggufd keys", action: "create" }]);
    expect(store.log[0]).not.toHaveProperty("from");
  });

  it.each([
    ["a b", {}, "--name: expected 1 to 64 letters, digits, -, _, . or @, a letter or digit first"],
    ["bob", { weight: "0" }, "--weight: expected a number from 0.01 to 100"],
  ])("rejects invalid attributes: %s %j", async (name, attributes, message) => {
    const path = await newPath();
    const attempt = createFirstKey({ path, name, attributes, expires: undefined });
    await expect(attempt).rejects.toThrow(message);
  });

  it("rejects the name of another key, and a file that a daemon uses", async () => {
    const path = await newPath();
    await createFirstKey({ path, name: "admin", ...none });
    await expect(createFirstKey({ path, name: "admin", ...none })).rejects.toThrow(
      `--key-store ${path}: name: expected a name that no other key has, got "admin".`,
    );
    const { store } = await openKeysAt(path, []);
    onTestFinished(() => store.close());
    await expect(createFirstKey({ path, name: "bob", ...none })).rejects.toThrow(
      "only one process at a time can use it",
    );
  });
});
