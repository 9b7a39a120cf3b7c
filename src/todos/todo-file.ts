import { z } from "zod";

const storedTodo = z.looseObject({
  id: z.int().positive(),
  title: z.string(),
  completed: z.boolean(),
});

/**
 * The content of the todo file. Fields that this version does not know are kept, so that a newer
 * version or a person may add some.
 */
const todoFile = z
  .looseObject({
    version: z.literal(1),
    /** The id of the next item: above every id that was ever given. */
    nextId: z.int().positive(),
    items: z.array(storedTodo),
  })
  .check(({ value, issues }) => {
    const seen = new Set<number>();
    for (const [index, { id }] of value.items.entries()) {
      const path = ["items", index, "id"];
      if (seen.has(id)) {
        issues.push({ code: "custom", path, input: id, message: `two items have the id ${id}` });
      }
      if (id >= value.nextId) {
        const message = `expected an id below nextId (${value.nextId}), got ${id}`;
        issues.push({ code: "custom", path, input: id, message });
      }
      seen.add(id);
    }
  });

export type StoredTodo = z.infer<typeof storedTodo>;
export type TodoFile = z.infer<typeof todoFile>;

export function emptyTodoFile(): TodoFile {
  return { version: 1, nextId: 1, items: [] };
}

/**
 * Checks parsed JSON against the file format.
 * @throws {Error} naming the first field that is wrong, such as `items[3].title`
 */
export function parseTodoFile(value: unknown): TodoFile {
  const result = todoFile.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = z.core.toDotPath(issue?.path ?? []) || "top level";
  throw new Error(`${place}: ${issue?.message ?? "wrong shape"}`);
}
