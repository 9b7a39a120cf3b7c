import { describe, expect, test } from "vitest";
import {
  addKey,
  type ChangeContext,
  type KeyUpdate,
  MAX_STORED_KEYS,
  removeKey,
  rotateKey,
  updateKey,
} from "../../src/keys/key-changes.js";
import { KeyTable } from "../../src/keys/key-table.js";
import { refusal } from "../support/refusal.js";
import { actor, newKey, storedValue } from "./some-keys.js";

const NOW = Date.parse("2026-01-01T00:00:00.000Z");
const at = (now: number, hasConfiguredManager = true): ChangeContext => ({
  actor,
  now,
  hasConfiguredManager,
  expectApplicable: () => undefined,
});

/** A table with a key of each name. */
function tableWith(...names: readonly string[]): KeyTable {
  const table = new KeyTable();
  for (const name of names) addKey(table, newKey(name), at(NOW));
  return table;
}

describe("a new key", () => {
  test("is enabled, and the log has its author and address", () => {
    const table = tableWith("alice");
    const [entry] = table.entries;
    expect(entry).toMatchObject({ number: 1, action: "create", name: "alice", ...actor });
    expect(entry?.at).toBe("2026-01-01T00:00:00.000Z");
    expect(table.keys.get("alice")).toEqual({
      ...{ name: "alice", ...storedValue("alice-key"), former: [], attributes: {} },
      ...{ state: "enabled", createdAt: NOW, createdBy: "root" },
    });
  });

  test("is refused if another has its name", () => {
    const table = tableWith("alice");
    const { code, message } = refusal(() => addKey(table, newKey("alice"), at(NOW)));
    expect(code).toBe("key_conflict");
    expect(message).toBe('name: expected a name that no other key has, got "alice".');
    expect(table.entries).toHaveLength(1);
  });

  test("is refused beyond the maximum number of keys", () => {
    const table = tableWith("alice");
    const [entry] = table.entries;
    if (entry?.after === undefined) throw new Error("expected a created key");
    for (let index = 1; index < MAX_STORED_KEYS; index++) {
      const name = `key-${index}`;
      table.record({ ...entry, name, after: { ...entry.after, name } });
    }
    expect(refusal(() => addKey(table, newKey("more"), at(NOW))).code).toBe(
      "storage_quota_exceeded",
    );
  });
});

describe("an update", () => {
  test("sets and removes attributes, and keeps the others", () => {
    const table = new KeyTable();
    const attributes = { scopes: "todos", weight: "2" };
    addKey(table, newKey("alice", { attributes, expiresAt: NOW + 1 }), at(NOW));
    const update = { attributes: { weight: undefined, concurrent: "1" } };
    updateKey(table, { name: "alice", update }, at(NOW));
    expect(table.keys.get("alice")).toMatchObject({
      attributes: { scopes: "todos", concurrent: "1" },
      expiresAt: NOW + 1,
    });
    expect(table.entries.at(-1)?.before).toMatchObject({ attributes });
  });

  test.each([
    ["disables", { state: "disabled" } as const, { state: "disabled" }],
    ["sets the expiry", { expiresAt: NOW + 5 }, { expiresAt: NOW + 5 }],
  ])("%s", (_, update, expected) => {
    const table = tableWith("alice");
    updateKey(table, { name: "alice", update }, at(NOW));
    expect(table.keys.get("alice")).toMatchObject(expected);
  });

  test("removes the expiry", () => {
    const table = new KeyTable();
    addKey(table, newKey("alice", { expiresAt: NOW + 1 }), at(NOW));
    updateKey(table, { name: "alice", update: { expiresAt: null } }, at(NOW));
    expect(table.keys.get("alice")?.expiresAt).toBeUndefined();
  });

  test("without effect is not recorded", () => {
    const table = tableWith("alice");
    updateKey(table, { name: "alice", update: { state: "enabled", attributes: {} } }, at(NOW));
    expect(table.entries).toHaveLength(1);
  });
});

describe("a rotation", () => {
  test("keeps earlier values until their grace periods end", () => {
    const table = tableWith("alice");
    const rotate = (text: string, graceMs: number, now: number) =>
      rotateKey(table, { name: "alice", value: storedValue(text), graceMs }, at(now));
    rotate("second", 10, NOW);
    const { former } = rotate("third", 20, NOW + 5);
    expect(former).toEqual([
      { sha256: storedValue("alice-key").sha256, until: NOW + 10 },
      { sha256: storedValue("second").sha256, until: NOW + 25 },
    ]);
    expect(rotate("fourth", 0, NOW + 10).former).toEqual([
      { sha256: storedValue("second").sha256, until: NOW + 25 },
    ]);
    expect(table.keys.get("alice")).toMatchObject(storedValue("fourth"));
  });
});

describe("changes of unknown keys are refused:", () => {
  test.each<[string, (table: KeyTable) => unknown]>([
    ["update", (table) => updateKey(table, { name: "bob", update: {} }, at(NOW))],
    [
      "rotate",
      (table) => rotateKey(table, { name: "bob", value: storedValue("b"), graceMs: 0 }, at(1)),
    ],
    ["delete", (table) => removeKey(table, "bob", at(NOW))],
  ])("%s", (_, change) => {
    const { code, message } = refusal(() => change(tableWith("alice")));
    expect([code, message]).toEqual(["not_found", 'No API key has the name "bob".']);
  });
});

describe("the last key that may manage the keys", () => {
  const managers = (table: KeyTable) => {
    addKey(table, newKey("reader", { attributes: { access: "read-only" } }), at(NOW));
    addKey(table, newKey("user", { attributes: { scopes: "inference" } }), at(NOW));
    addKey(table, newKey("guest", { expiresAt: NOW + 1000 }), at(NOW));
    return table;
  };
  const update = (given: KeyUpdate) => (table: KeyTable, context: ChangeContext) =>
    updateKey(table, { name: "root", update: given }, context);
  const changes: [string, (table: KeyTable, context: ChangeContext) => unknown][] = [
    ["deleted", (table, context) => removeKey(table, "root", context)],
    ["disabled", update({ state: "disabled" })],
    ["limited in time", update({ expiresAt: NOW + 5 })],
    ["made read-only", update({ attributes: { access: "read-only" } })],
    ["given other scopes", update({ attributes: { scopes: "inference,todos" } })],
  ];

  test.each(changes)("cannot be %s", (_, change) => {
    const table = managers(tableWith("root"));
    const { code, message } = refusal(() => change(table, at(NOW, false)));
    expect(code).toBe("key_conflict");
    expect(message).toContain("The API key root is the last one with the scope admin");
    expect(table.entries).toHaveLength(4);
  });

  test.each(changes)("can be %s if the configuration has one, or the store", (_, change) => {
    change(managers(tableWith("root")), at(NOW, true));
    change(managers(tableWith("root", "other")), at(NOW, false));
  });

  test("can be rotated and limited otherwise", () => {
    const table = tableWith("root");
    rotateKey(table, { name: "root", value: storedValue("new"), graceMs: 0 }, at(NOW, false));
    update({ attributes: { concurrent: "1" } })(table, at(NOW, false));
    expect(table.entries).toHaveLength(3);
  });
});
