import { describe, expect, test } from "vitest";
import { addKey, removeKey, rotateKey, updateKey } from "../../src/keys/key-changes.js";
import { HEAD_LINE, printEntry, replayKeys } from "../../src/keys/key-journal.js";
import { KeyTable } from "../../src/keys/key-table.js";
import { actor, newKey, storedValue } from "./some-keys.js";

const context = {
  actor,
  now: 1_700_000_000_000,
  hasConfiguredManager: true,
  expectApplicable: () => undefined,
};

/** A table whose log has every kind of change. */
function changedTable(): KeyTable {
  const table = new KeyTable();
  const attributes = { scopes: "inference", "requests-per-minute": "60" };
  addKey(table, newKey("alice", { attributes, expiresAt: 1_800_000_000_000 }), context);
  addKey(table, newKey("bob"), { ...context, actor: { by: "ggufd keys" } });
  updateKey(table, { name: "alice", update: { state: "disabled" } }, context);
  rotateKey(table, { name: "alice", value: storedValue("new"), graceMs: 1000 }, context);
  removeKey(table, "bob", context);
  return table;
}

const lines = changedTable().entries.map(printEntry);
const replayText = (text: string) => replayKeys(Buffer.from(text));

describe("the file of API keys", () => {
  test("restores the keys and the log", () => {
    const table = replayText(HEAD_LINE + lines.join(""));
    expect([...table.keys]).toEqual([...changedTable().keys]);
    expect(table.entries).toEqual(changedTable().entries);
  });

  test("contains no value of a key", () => {
    expect(lines.join("")).not.toMatch(/alice-key|bob-key/);
  });

  test.each([
    ["without its line break", (line: string) => line.slice(0, -1)],
    ["cut off", (line: string) => line.slice(0, 20)],
    ["of zeros", (line: string) => `${"\0".repeat(line.length - 1)}\n`],
  ])("is read up to an incomplete last line: %s", (_, damage) => {
    const [last = ""] = lines.slice(-1);
    const text = HEAD_LINE + lines.slice(0, -1).join("") + damage(last);
    expect(replayText(text).entries).toHaveLength(lines.length - 1);
  });

  const [first = "", second = ""] = lines;
  test.each([
    ["", "line 1: Unexpected end of JSON input"],
    ['{"format":"ggufd conversations","version":1}\n', "line 1: expected "],
    ['{"format":"ggufd keys","version":2}\n', "line 1: expected version 1, got 2"],
    [HEAD_LINE.trim(), "line 1: expected a line break at its end"],
    [HEAD_LINE + second, "line 2: number: expected 1, got 2"],
    [HEAD_LINE + first + first, "line 3: number: expected 2, got 1"],
    [`${HEAD_LINE}{\n${first}`, "line 2: "],
    [HEAD_LINE + first.replace('"enabled"', '"on"') + second, "line 2: key.state: "],
    [HEAD_LINE + first.replace('"key":{', '"key":{"models":[],') + second, "line 2: key: "],
    [HEAD_LINE + first.replace("create", "delete") + second, "line 2: delete of alice: "],
    [HEAD_LINE + first.replace("create", "update") + second, "line 2: update of alice: "],
    [HEAD_LINE + first + first.replace('"number":1', '"number":2'), "line 3: create of alice: "],
  ])("is refused with the number of the line if it is invalid: %#", (text, message) => {
    expect(() => replayText(text)).toThrow(message);
  });

  test("is refused if it is not UTF-8", () => {
    const bytes = Buffer.from(HEAD_LINE + lines.join(""));
    bytes[bytes.indexOf("alice")] = 0xff;
    expect(() => replayKeys(bytes)).toThrow("line 2: ");
  });
});
