import { describe, expect, test } from "vitest";
import { migrate } from "../../../src/todos/file/todo-file.js";

const context = { modifiedAt: "2026-01-01T00:00:00.000Z" };

describe("migrate", () => {
  test("gives items of version 1 the file's modification time, and preserves unknown fields", () => {
    const item = { id: 7, title: "a", completed: true, tags: ["x"] };
    const file = { comment: "by hand", version: 1, nextId: 8, items: [item] };
    const times = { created_at: context.modifiedAt, updated_at: context.modifiedAt };
    expect(migrate(file, context)).toEqual({
      file: { ...file, version: 2, items: [{ ...item, ...times }] },
      migrated: true,
    });
    expect(file).toMatchObject({ version: 1, items: [item] });
  });

  test("does not modify a file of the current version", () => {
    const file = { version: 2, anything: ["else"] };
    expect(migrate(file, context)).toEqual({ file, migrated: false });
  });

  test.each([
    [
      { version: 1, items: "none" },
      { version: 2, items: "none" },
    ],
    [
      { version: 1, items: [null, 3] },
      { version: 2, items: [null, 3] },
    ],
    [{ version: 1 }, { version: 2 }],
  ])("leaves the validation of invalid content to the parser: %j", (file, migrated) => {
    expect(migrate(file, context).file).toEqual(migrated);
  });

  test.each<[value: unknown, message: string]>([
    [{ version: 3 }, "version: expected 1 to 2, got 3"],
    [{ version: "1" }, "version: Invalid input: expected number, received string"],
    [{}, "version: Invalid input: expected number, received undefined"],
    [[], "top level: Invalid input: expected object, received array"],
  ])("rejects %j", (value, message) => {
    expect(() => migrate(value, context)).toThrow(message);
  });
});
