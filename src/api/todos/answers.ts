import { z } from "zod";
import type { Todo } from "../../todos/todo.js";

/** An item as the task list service shows it: specification, section 2. */
export const plainTodo = z
  .object({
    id: z.int().positive().meta({ description: "Never given to another item.", example: 1 }),
    title: z.string().meta({ example: "milk" }),
    completed: z.boolean().meta({ example: false }),
  })
  .meta({ id: "PlainTodo", description: "A to-do item of the plain service." });
export type PlainTodo = z.infer<typeof plainTodo>;

/** All items, in the order of their ids. */
export const plainTodoList = z.array(plainTodo);

/** What PATCH answers. */
export const updated = z.object({ updated: z.literal(true) });

/** What DELETE answers. */
export const deleted = z.object({ deleted: z.literal(true) });

/** What a change answers in the full form: the created item, or that it was done. */
export type ChangeAnswer = PlainTodo | z.infer<typeof updated> | z.infer<typeof deleted>;

/** What a change answers in the short form: specification, section 4, rule 4. */
export const success = z.object({ success: z.literal(true) }).meta({ id: "Success" });
export type Success = z.infer<typeof success>;

/** An error in the one form that the task list service has: specification, section 7. */
export const plainError = z
  .object({
    error: z.string().meta({
      description: "What was expected and what came.",
      example:
        "title: expected a string of 1 to 10000 characters, not only white space, got nothing.",
    }),
  })
  .meta({ id: "PlainError", description: "What went wrong at the plain service." });
export type PlainError = z.infer<typeof plainError>;

/** An item without what `/v1/todos` knows besides. */
export function toPlainTodo({ id, title, completed }: Todo): PlainTodo {
  return { id, title, completed };
}
