import assert from "node:assert/strict";
import { randomInt, randomUUID } from "node:crypto";

/**
 * Formats of call ids. `call`: `call_` and a UUID. `nine-characters`: letters and digits, as
 * required by Mistral's templates. `qualified`: `functions.name:index`, as rendered by Kimi's
 * templates.
 */
export type CallIdStyle = "call" | "nine-characters" | "qualified";

const ALPHANUMERIC = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const SHORT_ID_LENGTH = 9;

/**
 * Creates an id for a call that the model wrote without one.
 * @param index index among the calls of the answer, from 0
 */
export function createCallId(style: CallIdStyle, name: string, index: number): string {
  assert(Number.isInteger(index) && index >= 0, `invalid index of a call: ${index}`);
  switch (style) {
    case "call":
      return `call_${randomUUID()}`;
    case "nine-characters":
      return Array.from(
        { length: SHORT_ID_LENGTH },
        () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)],
      ).join("");
    case "qualified":
      return `functions.${name}:${index}`;
  }
}
