import type { GgufdError } from "../../core/errors.js";
import type { PlainError } from "./answers.js";

/** Where the task list service lives. */
export const TODOS_PATH = "/api/todos";

/** Where its simpler variant lives: specification, section 4, rule 4. */
export const SIMPLER_TODOS_PATH = "/todos";

/** An error in the one form that the task list service has: specification, section 7. */
export function toTodoErrorEnvelope({ message }: GgufdError): PlainError {
  return { error: message };
}
