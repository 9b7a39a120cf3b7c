import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JSONFile } from "lowdb/node";
import { expect, it, onTestFinished } from "vitest";
import { SyncedJsonFile } from "../../bench/todos/synced-json-file.js";

it("SyncedJsonFile writes the same content as lowdb's adapter", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-synced-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [synced, plain] = [join(folder, "synced.json"), join(folder, "plain.json")];
  const data = { items: [{ id: 1, title: "milk" }] };
  await new SyncedJsonFile(synced).write(data);
  await new JSONFile(plain).write(data);
  expect(readFileSync(synced, "utf8")).toBe(readFileSync(plain, "utf8"));
  expect(await new SyncedJsonFile(synced).read()).toEqual(data);
});
