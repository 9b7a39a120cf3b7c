import { randomUUID } from "node:crypto";

/** What an id belongs to: messages, reasoning, calls and their outputs, responses, conversations. */
export type IdPrefix = "msg" | "rs" | "fc" | "fco" | "resp" | "conv";

/** An id that nothing else has and that cannot be guessed. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}
