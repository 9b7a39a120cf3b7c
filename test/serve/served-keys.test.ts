import { expect, it } from "vitest";
import { parseGroupLine } from "../../src/config/keys/key-line.js";
import type { ConfiguredKeys } from "../../src/config/keys/read-api-keys.js";
import { expectApplicableKeys } from "../../src/serve/served-keys.js";
import { ADMIN_LINE, openManagedKeys } from "../support/managed-keys.js";

const value = { sha256: "0".repeat(64), ending: "abcd" };

async function openWith(attributes: Readonly<Record<string, string>>) {
  const { store, budgets } = await openManagedKeys([ADMIN_LINE, "group:team tokens-per-day=9"]);
  await store.create({ name: "alice", value, attributes, expiresAt: undefined }, { by: "root" });
  return { store, budgets };
}

it("stored keys need their groups in a new key file", async () => {
  const { store, budgets } = await openWith({ group: "team" });
  const withGroups = (...lines: readonly string[]): ConfiguredKeys => ({
    ...budgets.configured,
    groups: lines.map((line) => parseGroupLine(line, "keys")),
  });
  expect(() => expectApplicableKeys(store, budgets)).not.toThrow();
  expect(() => expectApplicableKeys(store, budgets, withGroups("group:team"))).not.toThrow();
  expect(() => expectApplicableKeys(store, budgets, withGroups("group:other"))).toThrow(
    "--key-store: key alice: group: expected a group of the key file (a line group:NAME with its budgets), got team",
  );
});

it("budgets of stored keys need stored usage", async () => {
  const { store, budgets } = await openWith({ "requests-per-month": "5" });
  expect(() => expectApplicableKeys(store, budgets)).not.toThrow();
  budgets.countFrom({ is: "disabled", because: "--usage is none" });
  expect(() => expectApplicableKeys(store, budgets)).toThrow(
    "--key-store: key alice: requests-per-month: a budget needs stored usage, and there is none: --usage is none; set --usage to a folder",
  );
});
