import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pythonJson } from "../../../bench/schemas/python-json.js";
import { readSchemaCases, type SchemaCase } from "../../../bench/schemas/schema-cases.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "schema-cases-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function read(content: string): Promise<SchemaCase[]> {
  const path = join(folder, "cases.jsonl");
  writeFileSync(path, content);
  return await listed(readSchemaCases(path));
}

async function listed(cases: AsyncIterable<SchemaCase>): Promise<SchemaCase[]> {
  const list: SchemaCase[] = [];
  for await (const one of cases) list.push(one);
  return list;
}

describe("readSchemaCases", () => {
  it("reads a schema from each line, with all digits of its instances", async () => {
    const cases = await read(
      '{"name":"a","schema":{"type":"integer"},"tests":[{"valid":true,"data":12345678901234567890},{"valid":false,"data":"x"}]}\n\n{"name":"b","schema":true,"tests":[]}\n',
    );
    expect(cases.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(cases[0]?.schema).toEqual({ type: "integer" });
    expect(cases[0]?.instances.map(({ isValid, value }) => [isValid, pythonJson(value)])).toEqual([
      [true, "12345678901234567890"],
      [false, '"x"'],
    ]);
  });

  it("reports the number of an invalid line", async () => {
    const line = '{"name":"a","schema":{},"tests":[]}';
    await expect(read(`${line}\n{"name":"b"}\n`)).rejects.toThrow(
      "cases.jsonl, line 2: expected name, schema and tests",
    );
    await expect(read(`${line}\n{\n`)).rejects.toThrow("line 2");
  });

  it("reports a file that does not exist", async () => {
    const path = join(folder, "absent.jsonl");
    await expect(listed(readSchemaCases(path))).rejects.toThrow(
      `--data: expected a file, got ${path}`,
    );
  });
});
