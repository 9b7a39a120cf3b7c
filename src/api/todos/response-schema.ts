import { z } from "zod";
import { LazyList } from "../../core/lazy-list.js";
import type { Todo } from "../../todos/todo.js";

/** An item of the task list service: specification, section 2. */
export const plainTodo = z
  .object({
    id: z.int().positive().meta({ description: "Never reused for another item.", example: 1 }),
    title: z.string().meta({ example: "milk" }),
    completed: z.boolean().meta({ example: false }),
  })
  .meta({ id: "PlainTodo", description: "A to-do item of the plain service." });
export type PlainTodo = z.infer<typeof plainTodo>;

/** All items, in the order of their ids. */
export const plainTodoList = z.array(plainTodo);

/** The response to PATCH. */
export const updated = z.object({ updated: z.literal(true) });

/** The response to DELETE. */
export const deleted = z.object({ deleted: z.literal(true) });

/** The full response to a change: the created item, or a confirmation. */
export type ChangeResponse = PlainTodo | z.infer<typeof updated> | z.infer<typeof deleted>;

/** The minimal response to a change: specification, section 4, rule 4. */
export const success = z.object({ success: z.literal(true) }).meta({ id: "Success" });
export type Success = z.infer<typeof success>;

/** The error format of the task list service: specification, section 7. */
export const plainError = z
  .object({
    error: z.string().meta({
      description: "What was expected and what was received.",
      example:
        "title: expected a string of 1 to 10000 characters, not only white space, got nothing.",
    }),
  })
  .meta({ id: "PlainError", description: "An error of the plain service." });
export type PlainError = z.infer<typeof plainError>;

/** An item without the fields that only `/v1/todos` has. */
export function toPlainTodo({ id, title, completed }: Todo): PlainTodo {
  return { id, title, completed };
}

/** Such items as a list, printed one by one: there may be many. */
export function toPlainList(todos: readonly Todo[]): LazyList<PlainTodo> {
  return LazyList.from(todos, toPlainTodo);
}
