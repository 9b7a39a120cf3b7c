import type { GgufdError } from "../../core/errors.js";
import type { PlainError } from "./schema.js";

/** Path of the task list service. */
export const TODOS_PATH = "/api/todos";

/** Path of the simpler variant of the task list service: specification, section 4, rule 4. */
export const SIMPLER_TODOS_PATH = "/todos";

/** Converts an error to the format of the task list service: specification, section 7. */
export function toTodoErrorEnvelope({ message }: GgufdError): PlainError {
  return { error: message };
}
