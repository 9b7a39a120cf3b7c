import type { GgufdError } from "../../core/errors.js";

/** Where the task list service lives. */
export const TODOS_PATH = "/api/todos";

/** An error in the one form that the task list service has: specification, section 7. */
export function toTodoErrorEnvelope({ message }: GgufdError): { readonly error: string } {
  return { error: message };
}
